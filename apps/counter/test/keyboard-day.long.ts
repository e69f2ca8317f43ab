/** The store page: a day at the counter with the keyboard alone, on a phone's screen and on a desk's. */
import { violationsOf } from "@petstore/test/chromium"
import { expect, it } from "vitest"
import { declareShop } from "./shop.ts"

const shop = declareShop()
const { calm, counter, signIn, latest, search, names, form, dialog } = shop

/** How long a control may take to appear and to be ready, in ms. */
const readyMillis = 30_000

/** Moves the focus with Tab to a control, and presses a key. */
const reach = async (label: RegExp, key: string): Promise<void> => {
  const isThere = () =>
    counter.page.evaluate(
      `(() => {
        const { activeElement: here } = document
        const text = here.getAttribute("aria-label") ?? here.labels?.[0]?.textContent ?? here.textContent
        return here.ariaDisabled !== "true" && ${label}.test(text.trim())
      })()`,
    )
  for (const endsAt = Date.now() + readyMillis; Date.now() < endsAt && !(await isThere()); )
    await counter.page.keyboard.press("Tab")
  expect(await isThere(), String(label)).toBe(true)
  await counter.page.keyboard.press(key)
}
const answer = async (yes: RegExp): Promise<void> => {
  await dialog().waitFor()
  await calm()
  await reach(yes, "Enter")
}

it.each([390, 1440])(
  "delivers, finds, reserves with a note, sells, takes back, removes, brings back and prints at %i px",
  async (width) => {
    await counter.reopen({ viewport: { width, height: 844 } })
    await signIn()
    const name = `Daily${width}`
    await reach(/^Delivery$/, "Enter")
    await form().waitFor()
    await reach(/^Paste rows/, "End")
    await counter.page.keyboard.insertText(`name\tcategory_id\n${name}\t1\nOther${width}\t1\n`)
    await reach(/^Add 2 animals$/, "Enter")
    await expect.poll(latest).toContain("Added 2 animals")
    await search(name.toLowerCase())
    await expect.poll(names).toEqual([name])
    await calm()
    await reach(/^Reserve Daily/, "Enter")
    await expect.poll(latest).toContain(`Reserved ${name}`)
    await calm()
    await reach(/^Note Daily/, "Enter")
    await form().waitFor()
    await reach(/^Note$/, "End")
    await counter.page.keyboard.insertText("until Saturday")
    await counter.page.keyboard.press("Enter")
    await expect.poll(latest).toContain("until Saturday")
    await calm()
    await reach(/^Sell Daily/, "Enter")
    await answer(/^Sell$/)
    await expect.poll(latest).toContain(`Sold ${name}`)
    expect(await violationsOf(counter.page)).toEqual([])
    await calm()
    await reach(/^Take back Daily/, "Enter")
    await answer(/^Take back$/)
    await expect.poll(latest).toContain(`Took back ${name}`)
    await calm()
    await reach(/^Remove Daily/, "Enter")
    await answer(/^Remove$/)
    await expect.poll(latest).toContain(`Removed ${name}`)
    await calm()
    await reach(/^Bring back Daily/, "Enter")
    await expect.poll(latest).toContain(`${name} is back`)
    await counter.page.evaluate(
      "window.print = () => { window.printed = document.querySelectorAll('[data-paper] tbody tr').length }",
    )
    await reach(/^Print$/, "Enter")
    await form().waitFor()
    await reach(/^Print$/, "Enter")
    await expect.poll(() => counter.page.evaluate("window.printed")).toBe(1)
    await expect.poll(() => counter.page.locator("[data-today]").innerText()).toMatch(/\d of them taken back/)
  },
)
