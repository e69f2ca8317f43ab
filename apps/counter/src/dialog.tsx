/** A dialog of the page, which the state opens and closes. */
import type { ComponentChildren } from "preact"
import { useLayoutEffect, useRef } from "preact/hooks"
import { Notices } from "./notices.tsx"
import { type Level, now, topOf } from "./state.ts"

interface DialogProps {
  readonly isOpen: boolean
  /** The identifier of the title. */
  readonly title: string
  readonly role?: "alertdialog"
  /** A form if absent. */
  readonly level?: Level
  readonly onClose: () => void
  readonly children: ComponentChildren
}

export const Dialog = ({ isOpen, title, role, level = "form", onClose, children }: DialogProps) => {
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    if (isOpen) dialog.current?.showModal()
    else dialog.current?.close()
  }, [isOpen])
  return (
    // The browser has closed the dialog if the state has it open.
    <dialog ref={dialog} role={role} aria-labelledby={title} onClose={() => isOpen && onClose()}>
      {children}
      <Notices state={now()} isOnTop={isOpen && topOf(now()) === level} />
    </dialog>
  )
}
