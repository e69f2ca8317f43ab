/**
 * Lets a press mean what stood under it when the finger came down. A press does nothing if its button was waiting then, or if
 * another element has taken the button's place since.
 */
import { useLayoutEffect, useState } from "preact/hooks"

/** How long a control waits after it moved or changed, in ms. */
const settlingMillis = 500

const buttonOf = (target: EventTarget | null): Element | null => (target instanceof Element ? target.closest("button") : null)

const isWaiting = (button: Element): boolean => button.ariaDisabled === "true"

export const guardPresses = (): void => {
  let pressed: Element | null = null
  const options = { capture: true }
  addEventListener(
    "pointerdown",
    ({ target }) => {
      const button = buttonOf(target)
      pressed = button === null || isWaiting(button) ? null : button
    },
    options,
  )
  addEventListener(
    "click",
    (event) => {
      const button = buttonOf(event.target)
      if (button === null) return
      // A key or a program clicks without a pointer.
      const isMeant = event.detail === 0 || button === pressed
      if (isMeant && !isWaiting(button)) return
      event.preventDefault()
      event.stopImmediatePropagation()
    },
    options,
  )
}

/** Whether `value`, from which a control is made, has been the same for a moment. */
export const useSettled = (value: unknown, millis = settlingMillis): boolean => {
  const [settled, settle] = useState<unknown>(undefined)
  useLayoutEffect(() => {
    const timer = setTimeout(settle, millis, value)
    return () => clearTimeout(timer)
  }, [value, millis])
  return settled === value
}
