/** The store page: taking back, notes, and what happened by whom. */
import { createClient } from "@petstore/client"
import { createKey, petstore } from "@petstore/harness/command"
import { violationsOf } from "@petstore/test/chromium"
import { describe, expect, it } from "vitest"
import { declareShop } from "./shop.ts"

const shop = declareShop()
const { calm, counter, signIn, view, search, names, dialog, form, latest, made } = shop

const button = (does: string, { id, name }: { readonly id: bigint; readonly name: string }) =>
  counter.page.getByRole("button", { name: `${does} ${name}, ${id}` })
const yes = (name: string) => dialog().getByRole("button", { name }).click()
const undo = () => counter.page.locator("[data-latest]").getByRole("button", { name: "Undo" })
const statusOf = async (id: bigint) => (await shop.client.getPet(id)).value.status
const forWhom = () => counter.page.getByLabel("For whom?")
const history = () => counter.page.locator("#today [data-history] li")

describe("taking back", () => {
  it("undoes a sale in its message", async () => {
    const pet = await made("Regret")
    await signIn()
    await button("Sell", pet).click()
    await yes("Sell")
    await expect.poll(latest).toContain("Sold Regret")
    // A sale is one line, although it is an order and its completion.
    await expect.poll(() => history().first().innerText()).toContain("Sold Regret")
    expect(await history().nth(1).innerText()).toContain("Added Regret")
    await undo().click()
    await expect.poll(latest).toContain("Took back Regret")
    expect(await statusOf(pet.id)).toBe("available")
  })

  it("returns a sold animal, whose status cannot be edited away", async () => {
    const pet = await made("Boomerang")
    const { value: order } = await shop.client.orders.create({ petId: pet.id })
    await shop.client.orders.complete(order.id)
    await signIn()
    await view("Sold")
    await button("Edit", pet).click()
    expect(await form().getByLabel("Status").isDisabled()).toBe(true)
    expect(await form().locator("[data-held]").innerText()).toContain("use Take back")
    await counter.page.keyboard.press("Escape")
    await button("Take back", pet).click()
    expect(await dialog().innerText()).toContain(`Take back Boomerang, animal ${pet.id}`)
    await yes("Take back")
    await expect.poll(() => statusOf(pet.id)).toBe("available")
    expect((await shop.client.orders.get(order.id)).value.status).toBe("returned")
  })

  it("offers an animal for sale that was sold elsewhere, and takes that back", async () => {
    const { value: pet } = await shop.client.createPet({ name: "Imported", categoryId: 1n, status: "sold" })
    await signIn()
    await view("Sold")
    await button("Take back", pet).click()
    expect(await dialog().innerText()).toContain("was not sold on this page. Offer it for sale?")
    await yes("Offer for sale")
    await expect.poll(latest).toContain("Imported is for sale.")
    expect(await statusOf(pet.id)).toBe("available")
    await undo().click()
    await expect.poll(() => statusOf(pet.id)).toBe("sold")
  })

  it("undoes a reservation in its message", async () => {
    const pet = await made("Hasty")
    await signIn()
    await button("Reserve", pet).click()
    await undo().click()
    await expect.poll(latest).toContain("Cancelled the reservation of Hasty.")
    expect(await statusOf(pet.id)).toBe("available")
  })

  it("undoes an edit, unless another clerk has changed the animal since", async () => {
    const pet = await made("Before")
    await signIn()
    const rename = async (name: string) => {
      await counter.page.locator(`[data-line="${pet.id}"] [data-action="edit"]`).click()
      await form().getByLabel("Name").fill(name)
      await form().getByRole("button", { name: "Save" }).click()
      await expect.poll(latest).toContain(`Saved ${name}`)
    }
    await rename("After")
    await undo().click()
    await expect.poll(latest).toContain("Before is as it was before.")
    expect((await shop.client.getPet(pet.id)).value.name).toBe("Before")
    await rename("Mine")
    await shop.client.correctPet(pet.id, { name: "Theirs" })
    await undo().click()
    await expect.poll(latest).toContain("has been changed since. Nothing was undone")
    expect((await shop.client.getPet(pet.id)).value.name).toBe("Theirs")
  })
})

describe("an animal on hold or without a status", () => {
  it.each([["pending", "which is on hold"] as const, [undefined, "which has no status"] as const])(
    "is sold and reserved, and is as before after Undo: %s",
    async (status, words) => {
      const { value: pet } = await shop.client.createPet({ name: "Held", categoryId: 1n, ...(status && { status }) })
      await signIn()
      await search(`#${pet.id}`)
      await expect.poll(names).toEqual(["Held"])
      await button("Sell", pet).click()
      expect(await dialog().innerText()).toContain(`Sell Held, animal ${pet.id}, ${words}?`)
      await yes("Sell")
      await expect.poll(latest).toContain("Sold Held.")
      expect(await statusOf(pet.id)).toBe("sold")
      await undo().click()
      await expect.poll(() => statusOf(pet.id)).toBe(status)
      await expect.poll(latest).toContain("Held is as it was before.")
      await button("Reserve", pet).click()
      await expect.poll(latest).toContain("Reserved Held.")
      expect((await shop.client.orders.list({ petId: pet.id, status: "placed" })).value.items).toHaveLength(1)
      await undo().click()
      await expect.poll(() => statusOf(pet.id)).toBe(status)
    },
  )

  it.each([["placed", "is reserved"] as const, ["completed", "has been changed since"] as const])(
    "is not sold if a colleague has ordered it since the row was read: %s",
    async (status, words) => {
      const { value: pet } = await shop.client.createPet({ name: `Contested ${status}`, categoryId: 1n, status: "pending" })
      await signIn()
      await search(`#${pet.id}`)
      await expect.poll(names).toEqual([pet.name])
      await button("Sell", pet).click()
      // The question is about the row as it was.
      await shop.client.correctPet(pet.id, { status: "available" })
      const { value: order } = await shop.client.orders.create({ petId: pet.id })
      if (status === "completed") await shop.client.orders.complete(order.id)
      await yes("Sell")
      await expect.poll(latest).toContain(words)
      expect((await shop.client.orders.list({ petId: pet.id })).value.items.map((one) => one.status)).toEqual([status])
    },
  )
})

describe("by keyboard", () => {
  const focused = () => counter.page.evaluate<string>("document.activeElement.textContent || document.activeElement.id")
  const press = (key: string) => counter.page.keyboard.press(key)

  it("begins the question of a sale on its answer, and that of a removal on Go back", async () => {
    const pet = await made("Asked")
    await signIn()
    await calm()
    await button("Sell", pet).press("Enter")
    await dialog().waitFor()
    expect(await focused()).toBe("Sell")
    await press("Escape")
    await calm()
    await button("Remove", pet).press("Enter")
    await dialog().waitFor()
    expect(await focused()).toBe("Go back")
  })

  it("reaches a message in one step, keeps it while it has the focus, and returns to the row", async () => {
    const pet = await made("Keyed")
    await signIn()
    await calm()
    await button("Reserve", pet).press("Enter")
    await forWhom().waitFor()
    await expect.poll(focused).toBe("Keyed")
    await press("F8")
    expect(await focused()).toBe("for-whom")
    await press("Escape")
    expect(await forWhom().count()).toBe(0)
    expect(await focused()).toBe("Keyed")
    await calm()
    await button("Sell", pet).press("Enter")
    await dialog().waitFor()
    await calm()
    await press("Enter")
    await expect.poll(latest).toContain("Sold Keyed.")
    await press("F8")
    expect(await focused()).toBe("Undo")
    const [ring, bar] = await counter.page.evaluate<[string, string]>(
      `[getComputedStyle(document.activeElement).outlineColor, getComputedStyle(document.querySelector("[data-latest]")).backgroundColor]`,
    )
    expect([ring, bar]).toEqual(["rgb(255, 255, 255)", "rgb(11, 110, 79)"])
    await counter.page.waitForTimeout(11_000)
    await press("Enter")
    await expect.poll(latest).toContain("Took back Keyed")
    await expect.poll(focused).toBe("Keyed")
  })

  it("enters a message by Tab from the row where the focus is, once, and goes on with the row", async () => {
    const pet = await made("Tabbed")
    await signIn()
    await calm()
    await button("Reserve", pet).press("Enter")
    await forWhom().waitFor()
    await expect.poll(focused).toBe("Tabbed")
    const [hint, field] = await counter.page.evaluate<[string, string]>(
      `[".keys", "#for-whom"].map((name) => getComputedStyle(document.querySelector("[data-latest] " + name)).fontSize)`,
    )
    expect(hint).toBe(field)
    expect(await counter.page.locator("[data-latest] .keys").innerText()).toBe("F8: to this message")
    await press("Tab")
    expect(await focused()).toBe("for-whom")
    await press("Shift+Tab")
    expect(await focused()).toBe("Tabbed")
    await press("F8")
    const stops: Array<string> = []
    while (stops.at(-1) !== "Sell" && stops.length < 9) {
      await press("Tab")
      stops.push(await focused())
    }
    expect(stops).toEqual(["Save", "Undo", "", "Sell"])
    await press("Shift+Tab")
    await press("Tab")
    expect(await focused()).toBe("Sell")
    expect(await violationsOf(counter.page)).toEqual([])
    await press("F8")
    await counter.page.keyboard.insertText("Ms. Lee")
    await press("Enter")
    await expect.poll(latest).toContain("Reserved Tabbed: Ms. Lee.")
    await expect.poll(focused).toBe("Tabbed")
  })

  it("keeps a message under the pointer, and closes it from within a dialog without closing the dialog", async () => {
    const pet = await made("Pointed")
    await signIn()
    await search(`#${pet.id}`)
    await expect.poll(names).toEqual(["Pointed"])
    await counter.page.getByRole("link", { name: "Pointed" }).press("Enter")
    await form()
      .getByRole("button", { name: `Remove Pointed, ${pet.id}` })
      .click()
    await yes("Remove")
    await expect.poll(latest).toContain("Removed Pointed")
    await undo().hover()
    await counter.page.waitForTimeout(11_000)
    await press("F8")
    await press("Escape")
    expect(await counter.page.locator("[data-latest]").count()).toBe(0)
    expect(await focused()).toBe(`Pointed, animal ${pet.id}`)
    await calm()
    await form()
      .getByRole("button", { name: `Bring back Pointed, ${pet.id}` })
      .press("Enter")
    await expect.poll(latest).toContain("Pointed is back")
    await expect.poll(focused).toBe(`Pointed, animal ${pet.id}`)
  })
})

describe("a removal", () => {
  it("is undone in its message, and brought back from the history", async () => {
    const pet = await made("Phoenix")
    const { value: order } = await shop.client.orders.create({ petId: (await made("Returned")).id })
    await shop.client.orders.complete(order.id)
    await shop.client.orders.return(order.id)
    await signIn()
    const takenBack = async () => /\d+ (of them )?taken back/.exec(await counter.page.locator("[data-today]").innerText())?.[0]
    await expect.poll(takenBack).toBeDefined()
    const before = await takenBack()
    const remove = async () => {
      await button("Remove", pet).click()
      await yes("Remove")
      await expect.poll(latest).toContain("Removed Phoenix")
    }
    await remove()
    await undo().click()
    await expect.poll(latest).toContain(`Phoenix is back as animal ${pet.id}.`)
    expect((await shop.client.getPet(pet.id)).value).toEqual(pet)
    await remove()
    await search("phoenix")
    await expect
      .poll(() => counter.page.locator("[data-empty]").innerText())
      .toContain("A removed animal is under What happened.")
    await expect.poll(() => history().first().innerText()).toContain("Removed Phoenix")
    await history().first().getByRole("button", { name: "Undo" }).click()
    await expect.poll(latest).toContain("Phoenix is back")
    // A restored animal does not count, only the returned sales.
    expect(await takenBack()).toBe(before)
    expect(await statusOf(pet.id)).toBe("available")
  })
})

describe("a note", () => {
  it("is asked for as soon as an animal is reserved, in a message that stays, and the row says who reserved it", async () => {
    const pet = await made("Noted")
    await signIn()
    await button("Reserve", pet).click()
    await forWhom().fill("Mrs. Hill, Friday")
    await counter.page.waitForTimeout(11_000)
    await counter.page.keyboard.press("Enter")
    await expect.poll(latest).toContain("Reserved Noted: Mrs. Hill, Friday.")
    expect(await counter.page.evaluate("document.activeElement.textContent")).toBe("Noted")
    await view("Reserved")
    const row = counter.page.locator(`[data-line="${pet.id}"]`)
    await expect.poll(() => row.innerText()).toMatch(/, counter\s+Mrs\. Hill, Friday/)
  })

  it("is not needed: the message waits below a form until it is closed, and does not overwrite another person's note", async () => {
    const pet = await made("Unnoted")
    await signIn()
    await button("Reserve", pet).click()
    await forWhom().waitFor()
    await counter.page.waitForTimeout(11_000)
    await button("Edit", pet).click()
    await form().waitFor()
    expect(await forWhom().count()).toBe(0)
    await counter.page.keyboard.press("Escape")
    await counter.page.getByRole("button", { name: "Close the message" }).click()
    expect(await forWhom().count()).toBe(0)
    await button("Cancel", pet).click()
    await yes("Cancel the reservation")
    await expect.poll(latest).toContain("Cancelled")
    await button("Reserve", pet).click()
    await forWhom().fill("mine")
    const [order] = (await shop.client.orders.list({ petId: pet.id, status: "placed" })).value.items
    await shop.client.orders.change(order?.id ?? 0n, { note: "theirs" })
    await calm()
    await counter.page.keyboard.press("Enter")
    await expect.poll(latest).toBe("The note for Unnoted is theirs by now. Yours was not saved.")
  })

  it("is asked for over the page of the animal too, with Undo", async () => {
    const pet = await made("Overlaid")
    await signIn()
    await search(`#${pet.id}`)
    await expect.poll(names).toEqual(["Overlaid"])
    await counter.page.getByRole("link", { name: "Overlaid" }).click()
    await form()
      .getByRole("button", { name: `Reserve Overlaid, ${pet.id}` })
      .click()
    await forWhom().fill("Mr. Dell")
    expect(await violationsOf(counter.page)).toEqual([])
    await form().getByRole("button", { name: "Save" }).click()
    await expect.poll(latest).toContain("Reserved Overlaid: Mr. Dell.")
    await undo().click()
    await expect.poll(latest).toContain("Cancelled the reservation of Overlaid.")
    expect(await statusOf(pet.id)).toBe("available")
  })

  it("is found under All too, before the names that the search finds, and within its category", async () => {
    const [held, free, other] = [await made("Corky"), await made("Quinta"), await made("Quincy")]
    await shop.client.orders.create({ petId: held.id, note: "Ms Quinlan, until Saturday" })
    await shop.client.orders.create({ petId: other.id, note: "for Mr Quin" })
    await shop.client.correctPet(other.id, { categoryId: 2n })
    await signIn()
    await search("quin")
    await expect.poll(names).toEqual(["Quincy", "Corky", "Quinta"])
    await search("saturday quinlan")
    await expect.poll(names).toEqual(["Corky"])
    expect(await counter.page.locator("[data-line] [data-note]").innerText()).toBe("Ms Quinlan, until Saturday")
    await search("quin")
    await expect.poll(names).toHaveLength(3)
    await counter.page.goto(`${shop.origin}/store?find=quin&category=1`)
    await expect.poll(names).toEqual(["Corky", "Quinta"])
    await view("For sale")
    await expect.poll(names).toEqual([free.name])
  })

  it("is kept with a reservation, shown in the reserved view, and never overwritten unseen", async () => {
    const pet = await made("Leashed")
    const { value: order } = await shop.client.orders.create({ petId: pet.id })
    await signIn()
    await view("Reserved")
    const note = counter.page.getByRole("button", { name: `Note Leashed, ${pet.id}` })
    await note.click()
    await form().getByLabel("Note").fill("until Saturday, blue lead")
    await form().getByRole("button", { name: "Save" }).click()
    const row = counter.page.locator(`[data-line="${pet.id}"]`)
    await expect.poll(() => row.innerText()).toContain("until Saturday, blue lead")
    await expect
      .poll(() => history().first().innerText())
      .toContain(`Changed the note for Leashed, animal ${pet.id}: until Saturday, blue lead`)
    await view("All")
    await expect.poll(() => row.locator("[data-note]").innerText()).toBe("until Saturday, blue lead")
    await view("Reserved")
    await search("saturday blu")
    await expect.poll(names).toEqual(["Leashed"])
    await search("monday")
    await expect
      .poll(() => counter.page.locator("[data-empty]").innerText())
      .toContain("has a name, or a note of a reservation, with a word that begins with “monday”")
    await search("")
    await note.click()
    await form().getByLabel("Note").fill("red lead")
    await shop.client.orders.change(order.id, { note: "green lead" })
    await form().getByRole("button", { name: "Save" }).click()
    await expect.poll(() => form().locator("[data-problem]").innerText()).toContain("You wanted red lead.")
    expect(await form().getByLabel("Note").inputValue()).toBe("green lead")
    expect((await shop.client.orders.get(order.id)).value.note).toBe("green lead")
  })
})

describe("what happened", () => {
  it("counts today by person, and lists before and after, newest first, with Undo", async () => {
    await petstore(shop.environment, "accounts", "create", "Anna")
    const { key } = await createKey(shop.environment, "Anna")
    const anna = createClient({ baseUrl: `${shop.origin}/v1`, apiKey: key })
    const { value: pet } = await anna.createPet({ name: "Told", categoryId: 1n, status: "available" })
    const { value: order } = await anna.orders.create({ petId: pet.id })
    await anna.orders.complete(order.id)
    await anna.correctPet(pet.id, { name: "Retold" })
    await signIn()
    await expect.poll(() => counter.page.locator("[data-people]").innerText()).toContain("Anna: 1 sold, 1 added")
    expect(await history().first().innerText()).toMatch(
      new RegExp(`^Edited Retold, animal ${pet.id}: name Told → Retold\\s+.*, Anna\\s*Undo$`, "s"),
    )
    expect(await history().nth(1).innerText()).toContain(`Sold Told, animal ${pet.id}`)
    expect(await history().nth(2).innerText()).toContain(`Reserved Told, animal ${pet.id}`)
    expect(await history().nth(3).innerText()).toContain(`Added Told, animal ${pet.id}`)
    await history().first().getByRole("button", { name: "Undo" }).click()
    await expect.poll(async () => (await shop.client.getPet(pet.id)).value.name).toBe("Told")
    await expect.poll(() => history().first().innerText()).toContain("name Retold → Told")
    expect(await history().first().innerText()).toContain("counter")
  })

  it("lists the history of one animal on its page, also after its removal", async () => {
    const pet = await made("Storied")
    await shop.client.correctPet(pet.id, { categoryId: 2n })
    await signIn()
    await search(`#${pet.id}`)
    await counter.page.getByRole("link", { name: "Storied" }).click()
    const own = counter.page.locator("dialog[open] [data-history] li")
    await expect.poll(() => own.count()).toBe(2)
    expect(await own.first().innerText()).toContain("category 1 → 2")
    await shop.client.removePet(pet.id)
    await expect.poll(() => own.count()).toBe(3)
    expect(await own.first().innerText()).toContain(`Removed Storied, animal ${pet.id}`)
    await expect.poll(() => counter.page.locator("dialog[open]").innerText()).toContain("removed")
    await counter.page.reload()
    await expect.poll(() => counter.page.locator("#pet-title").innerText()).toBe(`Storied, animal ${pet.id}`)
    expect(await counter.page.locator("dialog[open] .facts").innerText()).toContain("Category\n2\n")
  })

  it("counts a sale that was taken back, and by whom", async () => {
    await petstore(shop.environment, "accounts", "create", "Cleo")
    const { key } = await createKey(shop.environment, "Cleo")
    const cleo = createClient({ baseUrl: `${shop.origin}/v1`, apiKey: key })
    const sold = async () => {
      const { value: order } = await cleo.orders.create({ petId: (await made("Regretted")).id })
      await cleo.orders.complete(order.id)
      return order.id
    }
    const [first, second] = [await sold(), await sold()]
    await cleo.orders.return(first)
    await signIn()
    const people = () => counter.page.locator("[data-people]").innerText()
    await expect.poll(people).toContain("Cleo: 2 sold, 1 of them taken back")
    const { value: reserved } = await cleo.orders.create({ petId: (await made("Wanted")).id })
    await expect.poll(people).toContain("Cleo: 2 sold, 1 of them taken back, 1 reserved")
    await cleo.orders.cancel(reserved.id)
    await expect.poll(people).not.toContain("back, 1 reserved")
    await shop.client.orders.return(second)
    await expect.poll(people).toMatch(/counter: (.*, )?\d+ taken back/)
    expect(await people()).toContain("Cleo: 2 sold, 1 of them taken back")
    expect(await counter.page.locator("[data-today]").innerText()).toMatch(
      /^\d+ sold, \d+ of them taken back(, \d+ reserved)?, \d+ added/,
    )
  })

  it("names the animals that each person sold, for whom, and those that were taken back", async () => {
    await petstore(shop.environment, "accounts", "create", "Dora")
    const { key } = await createKey(shop.environment, "Dora")
    const dora = createClient({ baseUrl: `${shop.origin}/v1`, apiKey: key })
    const sold = async (name: string, note?: string) => {
      const { value: order, etag } = await dora.orders.create({ petId: (await made(name)).id })
      if (note !== undefined) await dora.orders.change(order.id, { note }, { ifMatch: etag })
      await dora.orders.complete(order.id)
      return order.id
    }
    await shop.client.orders.return(await sold("Max"))
    await sold("Peanut", "Ms. Lee, until Saturday")
    await signIn()
    const mine = counter.page.locator("[data-people] li").filter({ hasText: "Dora" }).locator("[data-sold]")
    await expect.poll(() => mine.innerText()).toBe("Sold: Peanut (Ms. Lee, until Saturday), Max (taken back)")
    expect(await history().first().innerText()).toMatch(/^Sold Peanut, animal \d+: Ms\. Lee, until Saturday\n/)
    for (let number = 1; number <= 19; number += 1) await sold(`Many${number}`)
    await expect.poll(() => mine.innerText()).toMatch(/^Sold: Many19, .*, Many1, Peanut \(.*\), and 1 more$/)
  })

  it("shows earlier changes on request", async () => {
    const { value: pet } = await shop.client.createPet({ name: "Busy", categoryId: 1n })
    for (let index = 2; index < 30; index += 1) await shop.client.correctPet(pet.id, { categoryId: BigInt(index) })
    await signIn()
    await expect.poll(() => history().count()).toBe(20)
    await counter.page.locator("#today").getByRole("button", { name: "Show earlier" }).click()
    await expect.poll(() => history().count()).toBeGreaterThan(30)
  })
})
