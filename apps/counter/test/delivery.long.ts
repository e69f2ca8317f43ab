/** The store page: a delivery of many animals at once. */

import { tmpdir } from "node:os"
import { join } from "node:path"
import { violationsOf } from "@petstore/test/chromium"
import { describe, expect, it } from "vitest"
import { declareShop } from "./shop.ts"

const shop = declareShop()
const { counter, signIn, latest, petsNamed, form, openForm, add } = shop

const open = () => counter.page.getByRole("button", { name: "Delivery" }).click()
const paste = (text: string) => form().getByRole("textbox").first().fill(text)
const canAdd = () => counter.page.locator("[data-can-add]").innerText()
const preview = () => counter.page.locator("[data-preview] tbody tr")
const submit = () => counter.page.locator("[data-delivery] button[type=submit]").click()

describe("a delivery", () => {
  it("adds 20 rows pasted from a sheet, with their categories, after a preview that rejects the wrong ones", async () => {
    await shop.client.categories.replace(1n, { name: "Dogs" })
    const rows = Array.from(
      { length: 20 },
      (_, index) => `Pup ${index}\t${index % 2 === 0 ? "Dogs" : "Ferrets"}\t${index === 3 ? "hold" : ""}`,
    )
    await signIn()
    await open()
    await paste(`Name\tSpecies\tStatus\n${rows.join("\n")}\n\tDogs\tsold\n`)
    await expect.poll(canAdd).toBe("20 of 21 rows can be added.")
    expect(await preview().last().innerText()).toContain("Row 22 has no name.")
    expect(await counter.page.locator("[data-new-categories]").innerText()).toBe("New categories: Ferrets")
    expect(await preview().first().innerText()).toContain("for sale (assumed)")
    expect(await preview().nth(3).innerText()).not.toContain("assumed")
    const statusOfRest = form().getByLabel("19 rows have no status, and will be")
    await statusOfRest.selectOption("sold")
    expect(await preview().first().innerText()).toContain("sold (assumed)")
    await statusOfRest.selectOption("available")
    await form().getByLabel("“hold” means").selectOption("pending")
    await counter.page.screenshot({ path: join(tmpdir(), "petstore-counter-screenshots", "delivery.png") })
    expect(await violationsOf(counter.page)).toEqual([])
    await submit()
    await expect.poll(latest).toContain("Added 20 animals of the delivery.")
    await expect.poll(canAdd).toBe("Added 20. 1 could not be added:")
    expect(await preview().count()).toBe(1)
    // The button that was pressed keeps the focus, so that the next key is meant for the form.
    expect(await counter.page.evaluate("document.activeElement.textContent")).toBe("Add")
    await form().getByRole("button", { name: "Done" }).click()
    const ferrets = (await shop.client.categories.list()).value.items.find(({ name }) => name === "Ferrets")
    const { value } = await shop.client.listPets({ name: "pup", limit: 100 })
    expect(value.items).toHaveLength(20)
    expect(value.items.find(({ name }) => name === "Pup 3")).toMatchObject({ categoryId: ferrets?.id, status: "pending" })
    expect(value.items.find(({ name }) => name === "Pup 4")).toMatchObject({ categoryId: 1n, status: "available" })
  })

  it("takes rows without titles, by itself or by a choice", async () => {
    await shop.client.categories.replace(1n, { name: "Dogs" })
    await signIn()
    await open()
    await paste("Untitled\tDogs\tfor sale\nSecond\tDogs\ton hold\n")
    await expect.poll(canAdd).toBe("2 of 2 rows can be added.")
    await paste("Untitled\tDogs\nSecond\tDogs\n")
    await expect.poll(canAdd).toBe("Choose the columns of the names and of the categories.")
    await form().getByLabel("The first row").selectOption("animal")
    await expect.poll(canAdd).toBe("2 of 2 rows can be added.")
    await submit()
    await expect.poll(latest).toContain("Added 2 animals")
    expect(await petsNamed("Untitled")).toHaveLength(1)
  })

  it("asks for words that it does not know above the rows, and leaves each question in its place", async () => {
    await shop.client.categories.replace(1n, { name: "Dogs" })
    await signIn()
    await open()
    await paste("Name\tKind\tStatus\nOne\tDogs\tzzz\nTwo\tDogs\ton hold\nThree\tDogs\tavail.\nFour\tDogs\taaa\n")
    const questions = () => form().locator("label", { hasText: "means" })
    const words = async () => (await questions().allInnerTexts()).map((text) => text.split("\n")[0]?.trim())
    await expect.poll(async () => (await words()).length).toBeGreaterThan(2)
    const before = await words()
    expect(before).toEqual([...before].toSorted())
    const unknown = counter.page.locator("[data-words=unknown]")
    expect(await unknown.innerText()).toMatch(/^“aaa”, “zzz” are not known here: choose the meaning/)
    await form().getByLabel("“zzz” means").selectOption("sold")
    await expect.poll(() => unknown.innerText()).toMatch(/^“aaa” is not known here/)
    await expect.poll(() => preview().first().innerText()).toContain("sold")
    expect(await words()).toEqual(before)
    const [question, rows] = [await questions().last().boundingBox(), await preview().first().boundingBox()]
    expect(question?.y).toBeLessThan(rows?.y ?? 0)
    expect(await preview().nth(2).innerText()).toContain("for sale")
  })

  it("understands a shop's own words: Animal, for sale, Dog for Dogs, and spaces around names", async () => {
    await shop.client.categories.replace(1n, { name: "Dogs" })
    await signIn()
    await open()
    await paste("Animal\tKind\tSituation\tAge\n Sparky \tdog\tfor sale\t3\nRover\tDOGS\treserved\t4\n")
    await expect.poll(canAdd).toBe("2 of 2 rows can be added.")
    expect(await counter.page.locator("[data-new-categories]").count()).toBe(0)
    expect(await form().innerText()).toContain("Columns that are left out: Age")
    expect(await form().getByLabel("“for sale” means").count()).toBe(0)
    expect(await form().getByLabel("“reserved” means").inputValue()).toBe("pending")
    const onHold = counter.page.locator("[data-words=on-hold]")
    expect(await onHold.innerText()).toMatch(/^“reserved” becomes on hold: not for sale, but not reserved yet\. .* press Reserve/)
    await form().getByLabel("“reserved” means").selectOption("available")
    await onHold.waitFor({ state: "detached" })
    await form().getByLabel("“reserved” means").selectOption("pending")
    await submit()
    await expect.poll(latest).toContain("Added 2 animals")
    const [sparky] = await petsNamed("Sparky")
    expect((await shop.client.getPet(sparky ?? 0n)).value).toMatchObject({ categoryId: 1n, status: "available" })
  })

  it("reads a CSV file, and lets a person choose the columns", async () => {
    await signIn()
    await open()
    const buffer = Buffer.from("Wer;Was\nRexona;7\nTomtom;x\n")
    await form().getByLabel("Or a CSV file").setInputFiles({ name: "delivery.csv", mimeType: "text/csv", buffer })
    await expect.poll(canAdd).toBe("Choose the columns of the names and of the categories.")
    await form().getByRole("combobox", { name: "Name", exact: true }).selectOption("Wer")
    await form().getByRole("combobox", { name: "Category", exact: true }).selectOption("Was")
    await expect.poll(canAdd).toBe("2 of 2 rows can be added.")
    await submit()
    await expect.poll(latest).toContain("Added 2 animals")
    const [rexona] = await petsNamed("Rexona")
    expect((await shop.client.getPet(rexona ?? 0n)).value.categoryId).toBe(7n)
  })

  it("is one line of the history, is taken back as a whole but for what changed since, and comes back", async () => {
    const line = (number: number) => counter.page.locator("#today [data-history] li").nth(number)
    const undoIn = async (number: number) => line(number).getByRole("button", { name: "Undo" }).click()
    const count = async () => (await shop.client.listPets({ name: "crate", limit: 100 })).value.items.length
    const twentyFive = Array.from({ length: 25 }, (_, index) => `Crate ${index}\t1`).join("\n")
    await signIn()
    await open()
    await paste(`Name\tCategory\n${twentyFive}\n`)
    await submit()
    await expect.poll(latest).toContain("Added 25 animals of the delivery.")
    await counter.page.evaluate("window.print = () => { window.printed = document.querySelectorAll('.labels li').length }")
    await counter.page.getByRole("button", { name: "Print labels" }).click()
    expect(await counter.page.evaluate("window.printed")).toBe(25)
    await expect.poll(() => line(0).innerText()).toContain("Added 25 animals: Crate 0, Crate 1, Crate 2 and 22 more")
    expect(await line(1).innerText()).not.toContain("Crate")
    await counter.page.locator("[data-latest]").getByRole("button", { name: "Undo" }).click()
    await expect.poll(latest).toContain("Removed 25 animals.")
    expect(await count()).toBe(0)
    expect(await counter.page.evaluate("document.activeElement.id")).toBe("list-title")
    // Two acts of 25 leave room for more than the two lines.
    await expect.poll(() => counter.page.locator("#today [data-history] li").count()).toBeGreaterThan(6)
    await counter.page.locator("[data-latest]").getByRole("button", { name: "Undo" }).click()
    await expect.poll(latest).toContain("Brought back 25 animals.")
    expect(await count()).toBe(25)

    const { items } = (await shop.client.listPets({ name: "crate", limit: 100 })).value
    await shop.client.orders.create({ petId: items[3]?.id ?? 0n })
    await shop.client.correctPet(items[4]?.id ?? 0n, { name: "Renamed crate" })
    await counter.page.reload()
    await expect.poll(() => line(4).innerText()).toContain("Added 25 animals")
    expect(await line(3).innerText()).toContain("Removed 25 animals")
    expect(await line(2).innerText()).toContain("Brought back 25 animals")
    await undoIn(2)
    await shop.dialog().getByRole("button", { name: "Remove" }).click()
    await expect
      .poll(latest)
      .toContain("Removed 23 animals. 2 animals changed since, so nothing was done to them: Crate 3, Crate 4.")
    expect(await count()).toBe(2)
    await expect.poll(() => counter.page.evaluate("document.activeElement.textContent")).toContain("Brought back 25 animals")
  })

  it("goes on with the rest after a failure, and adds no animal twice when responses are lost", async () => {
    await signIn()
    let creations = 0
    await counter.page.route("**/v1/pets", async (route) => {
      creations += 1
      if (creations === 2) {
        await route.fetch()
        return route.abort()
      }
      return creations === 4
        ? route.fulfill({ status: 400, json: { code: "invalid_body", message: "Not this one.", status: 400 } })
        : route.continue()
    })
    await open()
    await paste("name,categoryId\nOne of four,1\nTwo of four,1\nThree of four,1\nFour of four,1\n")
    await submit()
    await expect.poll(() => form().locator("[data-problem]").innerText()).toMatch(/^\d animals were added, the others were not:/)
    await submit()
    await expect.poll(latest).toMatch(/Added \d animals? of the delivery/)
    for (const name of ["One", "Two", "Three", "Four"]) expect(await petsNamed(`${name} of four`)).toHaveLength(1)
  })

  it("names a category in the first form, and calls leaving the form Done after an animal was added", async () => {
    for (const { id } of (await shop.client.categories.list()).value.items) await shop.client.categories.remove(id)
    await signIn()
    await openForm()
    await form().getByLabel("Name").fill("Firstling")
    await form().getByLabel("New category").fill("Lizards")
    await form().getByLabel("Add another one after this").check()
    await add()
    await expect.poll(latest).toContain("Added Firstling")
    await form().getByRole("button", { name: "Done" }).click()
    const lizards = (await shop.client.categories.list()).value.items.find(({ name }) => name === "Lizards")
    const [firstling] = await petsNamed("Firstling")
    expect((await shop.client.getPet(firstling ?? 0n)).value.categoryId).toBe(lizards?.id)
  })
})
