/** The counter in a real Chromium, with the real service: what store staff see and do. */
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createKey, petstore } from "@petstore/harness/command"
import { violationsOf } from "@petstore/test/chromium"
import { describe, expect, it } from "vitest"
import { declareShop } from "./shop.ts"

/** The folder for screenshots that people can look at afterwards. Tests do not compare them. */
const screenshots = join(tmpdir(), "petstore-counter-screenshots")

const views = (["light", "dark"] as const).flatMap((colorScheme) =>
  [
    { width: 390, height: 844 },
    { width: 1440, height: 900 },
  ].map((viewport) => ({ colorScheme, viewport })),
)

const shop = declareShop()
const { counter, signIn, number, rowsOf, view, form, openForm, typeAnimal, search, names, add, dialog, latest, petsNamed, made } =
  shop

describe("signing in", () => {
  it("accepts a key, and keeps it for this tab until sign-out", async () => {
    await signIn()
    expect(await counter.page.evaluate("JSON.stringify([{ ...localStorage }, document.cookie])")).not.toContain(shop.key)
    await counter.page.reload()
    await counter.page.locator("[data-counter]").waitFor()
    await counter.page.getByRole("button", { name: "Sign out" }).click()
    await counter.page.reload()
    await counter.page.locator("[data-sign-in]").waitFor()
  })

  it("shares the key with the tabs of this browser, and signs out in all of them", async () => {
    const context = await counter.page.context().browser()?.newContext()
    const [one, other] = [await context?.newPage(), await context?.newPage()]
    if (one === undefined || other === undefined) throw new Error("no browser")
    await one.goto(`${shop.origin}/store`)
    await signIn(one)
    await other.goto(`${shop.origin}/store`)
    await other.locator("[data-counter]").waitFor()
    await other.reload()
    await other.locator("[data-counter]").waitFor()
    expect(await other.evaluate("JSON.stringify([{ ...localStorage }, document.cookie])")).not.toContain(shop.key)
    await other.getByRole("button", { name: "Sign out" }).click()
    await expect.poll(() => one.locator("[data-sign-in-problem]").innerText()).toContain("in another tab")
    for (const page of [one, other]) {
      expect(await page.evaluate("JSON.stringify([{ ...localStorage }, { ...sessionStorage }])")).not.toContain(shop.key)
      await page.reload()
      await page.locator("[data-sign-in]").waitFor()
    }
    await context?.close()
  })

  it("keeps the key on the device until sign-out if the checkbox is checked", async () => {
    await counter.page.getByLabel("Stay signed in on this device").check()
    await signIn()
    await counter.page.reload()
    await counter.page.locator("[data-counter]").waitFor()
    await counter.page.getByRole("button", { name: "Sign out" }).click()
    await counter.page.reload()
    expect(await counter.page.locator("[data-sign-in]").isVisible()).toBe(true)
  })

  it("shows a message about the key if the service rejects it", async () => {
    await counter.page.getByLabel("API key").fill(`pst_dev_${"0".repeat(38)}`)
    await counter.page.getByRole("button", { name: "Sign in" }).click()
    await expect.poll(() => counter.page.locator("[data-sign-in-problem]").innerText()).toMatch(/key/i)
  })

  it("asks for another key when the current key is revoked", async () => {
    const own = await createKey(shop.environment, "counter")
    await counter.page.getByLabel("API key").fill(own.key)
    await counter.page.getByRole("button", { name: "Sign in" }).click()
    await counter.page.locator("[data-counter]").waitFor()
    await petstore(shop.environment, "keys", "revoke", own.id)
    await expect.poll(() => counter.page.locator("[data-sign-in-problem]").innerText()).toContain("revoked")
  })
})

/** Keeps the number of elements that are on paper when the page prints, and the text. */
const countOnPaper = (selector: string) =>
  counter.page.evaluate(`window.print = () => {
    const paper = document.querySelector("[data-paper]")
    window.printed = [paper.querySelectorAll("${selector}").length, paper.textContent]
  }`)
const printKind = async (kind: string): Promise<void> => {
  await counter.page.getByRole("button", { name: "Print" }).click()
  await form().getByLabel(kind, { exact: true }).check()
  await form().getByRole("button", { name: "Print" }).click()
}

describe("the counter", () => {
  it("adds an animal, preserves every digit of its category number, and updates the list, the counts and the log", async () => {
    await signIn()
    const before = Number(await number("available"))
    await typeAnimal("Bello <b>", "9223372036854775807")
    await add()
    await expect.poll(() => number("available")).toBe(String(before + 1))
    expect(await rowsOf().filter({ hasText: "Bello <b>" }).innerText()).toContain("9223372036854775807")
    expect(await latest()).toMatch(/Added Bello <b> as animal \d+\./)
  })

  it("reports an invalid field and focuses it", async () => {
    await signIn()
    await typeAnimal("Rex", "1.5")
    await add()
    expect(await counter.page.locator("[data-add] [data-problem]").innerText()).toBe(
      "The category must be a whole number, in digits.",
    )
    expect(await counter.page.evaluate("document.activeElement.name")).toBe("categoryId")
  })

  it("reserves two animals, completes one order, and cancels the other", async () => {
    const [one, other] = [
      (await shop.client.createPet({ name: "Mia", categoryId: 1n, status: "available" })).value,
      (await shop.client.createPet({ name: "Tom", categoryId: 1n, status: "available" })).value,
    ]
    await signIn()
    await view("For sale")
    for (const pet of [one, other]) await counter.page.getByRole("button", { name: `Reserve ${pet.name}, ${pet.id}` }).click()
    await expect.poll(async () => (await shop.client.getPet(other.id)).value.status).toBe("pending")
    await view("Reserved")
    await counter.page.getByRole("button", { name: /^Sell Mia, \d+$/ }).click()
    expect(await dialog().innerText()).toContain("Sell Mia, animal")
    await dialog().getByRole("button", { name: "Sell" }).click()
    await counter.page.getByRole("button", { name: /^Cancel Tom, \d+$/ }).click()
    expect(await dialog().innerText()).toMatch(/Cancel the reservation of Tom, animal \d+\?/)
    await dialog().getByRole("button", { name: "Cancel the reservation" }).click()
    await expect.poll(async () => (await shop.client.getPet(one.id)).value.status).toBe("sold")
    await expect.poll(async () => (await shop.client.getPet(other.id)).value.status).toBe("available")
    await view("Sold")
    await rowsOf().filter({ hasText: "Mia" }).waitFor()
    await expect.poll(() => counter.page.locator("[data-history]").innerText()).toMatch(/Sold Mia, animal \d+\n/)
  })

  it("sells an animal after a confirmation that names the animal, and does nothing if the user declines", async () => {
    const { value: pet } = await shop.client.createPet({ name: "Ida", categoryId: 1n, status: "available" })
    await signIn()
    await view("For sale")
    const sell = counter.page.getByRole("button", { name: `Sell Ida, ${pet.id}` })
    await sell.click()
    expect(await dialog().innerText()).toContain(`Sell Ida, animal ${pet.id}?`)
    await dialog().getByRole("button", { name: "Go back" }).click()
    expect((await shop.client.getPet(pet.id)).value.status).toBe("available")
    await sell.click()
    await dialog().getByRole("button", { name: "Sell" }).click()
    await expect.poll(latest).toMatch(/Sold Ida\./)
    expect((await shop.client.getPet(pet.id)).value.status).toBe("sold")
  })

  it("reports that an animal is reserved if its sale was interrupted", async () => {
    const { value: pet } = await shop.client.createPet({ name: "Ole", categoryId: 1n, status: "available" })
    await counter.page.route("**/complete", (route) => route.abort())
    await signIn()
    await view("For sale")
    await counter.page.getByRole("button", { name: `Sell Ole, ${pet.id}` }).click()
    await dialog().getByRole("button", { name: "Sell" }).click()
    await expect.poll(latest).toMatch(/Ole is reserved, but the outcome of the sale is not known yet/)
    expect((await shop.client.getPet(pet.id)).value.status).toBe("pending")
    await view("All")
    const row = rowsOf().filter({ hasText: "Ole" })
    await expect.poll(() => row.innerText()).toContain("reserved")
    await counter.page.unroute("**/complete")
    await row.getByRole("button", { name: "Sell" }).click()
    await dialog().getByRole("button", { name: "Sell" }).click()
    await expect.poll(async () => (await shop.client.getPet(pet.id)).value.status).toBe("sold")
  })

  it("adds exactly one animal and reports an unknown outcome if the first responses are lost", async () => {
    await signIn()
    await counter.page.route(
      "**/v1/pets",
      async (route) => {
        await route.fetch()
        await route.abort()
      },
      { times: 3 },
    )
    await typeAnimal("Once")
    await add()
    const problem = counter.page.locator("[data-add] [data-problem]")
    await expect.poll(() => problem.innerText()).toContain("not known yet")
    expect(await counter.page.getByRole("button", { name: "Add", exact: true }).isDisabled()).toBe(true)
    await expect.poll(latest).toMatch(/Added Once as animal/)
    expect(await petsNamed("Once")).toHaveLength(1)
  })

  it("does not report a refusal if an earlier request may have added the animal", async () => {
    await signIn()
    let requests = 0
    await counter.page.route("**/v1/pets", async (route) => {
      requests += 1
      if (requests > 2) return route.continue()
      if (requests === 2)
        return route.fulfill({
          status: 429,
          headers: { "Retry-After": "30" },
          json: { code: "rate_limited", message: "Too many.", status: 429 },
        })
      await route.fetch()
      return route.abort()
    })
    await typeAnimal("Paced")
    await add()
    await expect.poll(latest).toMatch(/Added Paced as animal/)
    expect(await petsNamed("Paced")).toHaveLength(1)
  })

  it("keeps the input of a form when the key is revoked, and clears all input on sign-out", async () => {
    const own = await createKey(shop.environment, "counter")
    await counter.page.getByLabel("API key").fill(own.key)
    await counter.page.getByRole("button", { name: "Sign in" }).click()
    await typeAnimal("Half")
    await petstore(shop.environment, "keys", "revoke", own.id)
    await expect.poll(() => counter.page.locator("[data-sign-in-problem]").innerText()).toContain("not accepted")
    await signIn()
    expect(await form().getByLabel("Name").inputValue()).toBe("Half")
    await add()
    await expect.poll(latest).toContain("Added Half")
    await openForm()
    await form().getByLabel("Name").fill("Secret")
    await counter.page.keyboard.press("Escape")
    await counter.page.getByRole("button", { name: "Categories" }).click()
    await form().getByLabel("Number").fill("4711")
    await form().getByRole("textbox", { name: "Name" }).fill("Reptiles")
    await form().getByRole("button", { name: "Save the name" }).click()
    await form().getByRole("button", { name: "Rename Reptiles, 4711" }).click()
    // The store is shared: the forms of other tests expect that no category has a name.
    await shop.client.categories.remove(4711n)
    await expect.poll(() => counter.page.locator("[data-category-title]").innerText()).toBe("Rename Reptiles")
    await counter.page.keyboard.press("Escape")
    await search("customer")
    await expect.poll(() => counter.page.url()).toContain("customer")
    await counter.page.getByRole("button", { name: "Sign out" }).click()
    await expect.poll(() => counter.page.url()).toBe(`${shop.origin}/store`)
    const page = await counter.page.evaluate(
      "document.body.textContent + [...document.querySelectorAll('input')].map((i) => i.value)",
    )
    for (const text of ["Secret", "Half", "Added Half", "Reptiles"]) expect(page).not.toContain(text)
  })

  it("reports that another person has reserved the animal", async () => {
    const { value: pet } = await shop.client.createPet({ name: "Leo", categoryId: 1n, status: "available" })
    await signIn()
    const reserve = counter.page.getByRole("button", { name: `Reserve Leo, ${pet.id}` })
    await reserve.waitFor()
    await counter.page.route("**/v1/changes?*", (route) => route.abort())
    // From here on, nothing tells the page of the order.
    await counter.page.evaluate("dispatchEvent(new Event('offline'))")
    await counter.page.locator("[data-trouble]:not([hidden])").waitFor()
    await shop.client.orders.create({ petId: pet.id })
    await reserve.click()
    await expect.poll(latest).toContain("another person has it")
    await counter.page.unroute("**/v1/changes?*")
  })

  it("finds animals by words of their names or by number as the user types", async () => {
    const { value: elan } = await shop.client.createPet({ name: "Élan", categoryId: 1n, status: "sold" })
    await shop.client.createPet({ name: `${elan.id} spots`, categoryId: 1n })
    await shop.client.createPet({ name: "Melan", categoryId: 1n })
    await shop.client.createPet({ name: "Mr. Élan’s Whiskers", categoryId: 1n })
    await signIn()
    await search("elan")
    await expect.poll(names).toEqual(["Mr. Élan’s Whiskers", "Élan"])
    await search("whisk mr")
    await expect.poll(names).toEqual(["Mr. Élan’s Whiskers"])
    await search(String(elan.id))
    await expect.poll(names).toEqual(["Élan", `${elan.id} spots`])
    await search("9007199254740993")
    await expect.poll(() => counter.page.locator("[data-empty]").innerText()).toContain("none has this number")
    await view("For sale")
    await search(String(elan.id))
    await expect
      .poll(() => counter.page.locator("[data-empty]").innerText())
      .toMatch(/^No animal in this view has a name with a word that begins with .*Parts from the middle of a word are not found/)
    await counter.page.getByRole("button", { name: "Search all animals" }).press("Enter")
    await expect.poll(names).toContain("Élan")
    expect(await counter.page.evaluate("document.activeElement.id")).toBe("list-title")
    expect(await counter.page.getByRole("searchbox").inputValue()).toBe(String(elan.id))
    await search("\u0301")
    await expect.poll(() => rowsOf().count()).toBeGreaterThan(2)
  })

  it("shows the newest animal first, and only the results of the last search", async () => {
    await shop.client.createPet({ name: "Zoe", categoryId: 1n })
    const { id } = (await shop.client.createPet({ name: "Zorro", categoryId: 1n })).value
    await signIn()
    expect(await rowsOf().first().innerText()).toContain(String(id))
    const release = await shop.hold(/[?&]name=zo&order=desc$/)
    await search("zo")
    await expect.poll(() => counter.page.locator("[data-said]").innerText()).toBe("Loading…")
    await search("zor")
    await expect.poll(names).toEqual(["Zorro"])
    await release()
    await counter.page.waitForTimeout(1_000)
    expect(await names()).toEqual(["Zorro"])
  })

  it("finds a reserved animal apart from those on hold, and completes its order from the All view", async () => {
    const { value: pet } = await shop.client.createPet({ name: "Quax", categoryId: 1n, status: "available" })
    await shop.client.createPet({ name: "Quax of the import", categoryId: 1n, status: "pending" })
    await shop.client.orders.create({ petId: pet.id })
    await signIn()
    await search("quax")
    await expect.poll(names).toHaveLength(2)
    await view("Reserved")
    await expect.poll(names).toEqual(["Quax"])
    await view("On hold")
    await expect.poll(names).toEqual(["Quax of the import"])
    await view("All")
    await expect.poll(names).toHaveLength(2)
    await counter.page.getByRole("button", { name: `Sell Quax, ${pet.id}` }).click()
    await dialog().getByRole("button", { name: "Sell" }).click()
    await expect.poll(async () => (await shop.client.getPet(pet.id)).value.status).toBe("sold")
  })

  it("corrects an animal that is pending or has no status", async () => {
    const { value: pet } = await shop.client.createPet({ name: "Belo", categoryId: 1n, status: "pending" })
    const { value: other } = await shop.client.createPet({ name: "Belonely", categoryId: 1n })
    await signIn()
    await search("belo")
    await counter.page.getByRole("button", { name: `Edit Belo, ${pet.id}` }).click()
    await form().getByLabel("Name").fill("Bellow")
    await form().getByLabel("Category number").fill("9007199254740993")
    await form().getByLabel("Status").selectOption("available")
    await form().getByRole("button", { name: "Save" }).click()
    await expect.poll(latest).toContain(`Saved Bellow, animal ${pet.id}: it was Belo.`)
    expect((await shop.client.getPet(pet.id)).value).toEqual({
      id: pet.id,
      name: "Bellow",
      categoryId: 9_007_199_254_740_993n,
      status: "available",
    })
    await counter.page.getByRole("button", { name: `Edit Belonely, ${other.id}` }).click()
    await form().getByLabel("Status").selectOption("sold")
    await form().getByRole("button", { name: "Save" }).click()
    await expect.poll(async () => (await shop.client.getPet(other.id)).value.status).toBe("sold")
  })

  it("reports another person's change, shows the animal's current state, and overwrites nothing", async () => {
    const { value: pet } = await shop.client.createPet({ name: "Gina", categoryId: 1n, status: "available" })
    await signIn()
    await counter.page.getByRole("button", { name: `Edit Gina, ${pet.id}` }).click()
    await form().getByLabel("Name").fill("Gino")
    await shop.client.correctPet(pet.id, { name: "Gitta", status: "sold" })
    const save = form().getByRole("button", { name: "Save" })
    await save.click()
    const problem = counter.page.locator("[data-edit] [data-problem]")
    await expect.poll(() => problem.innerText()).toContain("Another person has changed this animal")
    expect(await problem.innerText()).toContain("You wanted the name Gino.")
    expect(await form().getByLabel("Name").inputValue()).toBe("Gitta")
    expect((await shop.client.getPet(pet.id)).value.name).toBe("Gitta")
    await form().getByLabel("Name").fill("Gino")
    await save.click()
    await expect.poll(latest).toContain("Saved Gino")
    expect((await shop.client.getPet(pet.id)).value).toMatchObject({ name: "Gino", status: "sold" })
  })

  it("saves a correction exactly once and reports an unknown outcome if the response is lost", async () => {
    const { value: pet } = await shop.client.createPet({ name: "Lost", categoryId: 1n, status: "available" })
    await signIn()
    await counter.page.route(
      `**/v1/pets/${pet.id}`,
      async (route) => {
        await route.fetch()
        await route.abort()
      },
      { times: 1 },
    )
    await counter.page.getByRole("button", { name: `Edit Lost, ${pet.id}` }).click()
    await form().getByLabel("Name").fill("Found")
    await form().getByRole("button", { name: "Save" }).click()
    await expect.poll(() => counter.page.locator("[data-edit] [data-problem]").innerText()).toContain("not known yet")
    await expect.poll(latest).toContain("Saved Found")
    expect((await shop.client.getPet(pet.id)).value.name).toBe("Found")
  })

  it("explains to staff why nothing can be changed if a proxy removes entity tags", async () => {
    const { value: pet } = await shop.client.createPet({ name: "Tagless", categoryId: 1n, status: "available" })
    await signIn()
    await counter.page.route("**/v1/pets?*", async (route) => {
      const response = await route.fetch()
      const { etag: _, ...headers } = response.headers()
      await route.fulfill({ response, headers })
    })
    await counter.page.getByRole("button", { name: `Edit Tagless, ${pet.id}` }).click()
    await form().getByLabel("Name").fill("Tagged")
    await form().getByRole("button", { name: "Save" }).click()
    const problem = () => counter.page.locator("[data-edit] [data-problem]").innerText()
    await expect
      .poll(problem)
      .toMatch(/^Nothing was changed\..*Tell the person who runs the store that a proxy removes ETag headers\.$/)
    await counter.page.keyboard.press("Escape")
    await counter.page.getByRole("button", { name: `Remove Tagless, ${pet.id}` }).click()
    await dialog().getByRole("button", { name: "Remove" }).click()
    await expect.poll(latest).toContain("Tagless: Nothing was changed.")
    await counter.page.unrouteAll({ behavior: "wait" })
    expect((await shop.client.getPet(pet.id)).value.name).toBe("Tagless")
  })

  it("corrects the name of a reserved animal, but not the status", async () => {
    const { value: pet } = await shop.client.createPet({ name: "Helt", categoryId: 1n, status: "available" })
    await shop.client.orders.create({ petId: pet.id })
    await signIn()
    await counter.page.getByRole("button", { name: `Edit Helt, ${pet.id}` }).click()
    expect(await form().getByLabel("Status").isDisabled()).toBe(true)
    expect(await form().getByLabel("Status").locator("option:checked").innerText()).toBe("reserved")
    expect(await counter.page.locator("[data-held]").innerText()).toContain("The animal is reserved")
    await form().getByLabel("Name").fill("Held")
    await form().getByRole("button", { name: "Save" }).click()
    await expect.poll(async () => (await shop.client.getPet(pet.id)).value.name).toBe("Held")
    expect(await counter.page.getByRole("button", { name: `Remove Held, ${pet.id}` }).count()).toBe(0)
  })

  it("removes an animal after a confirmation, unless the animal has changed in the meantime", async () => {
    const { value: pet } = await shop.client.createPet({ name: "Goldie", categoryId: 1n, status: "available" })
    await signIn()
    const remove = counter.page.getByRole("button", { name: `Remove Goldie, ${pet.id}` })
    await remove.click()
    expect(await dialog().innerText()).toContain(`Remove Goldie, animal ${pet.id}?`)
    await shop.client.correctPet(pet.id, { categoryId: 2n })
    await dialog().getByRole("button", { name: "Remove" }).click()
    await expect.poll(latest).toContain("Goldie: Another person has changed it in the meantime")
    await remove.click()
    await dialog().getByRole("button", { name: "Remove" }).click()
    await expect.poll(latest).toContain(`Removed Goldie, animal ${pet.id}.`)
    await expect(shop.client.getPet(pet.id)).rejects.toMatchObject({ code: "pet_not_found" })
    await expect.poll(() => counter.page.evaluate("document.activeElement.textContent")).toBe("Goldie")
  })

  it("names categories, shows their names in the list, and offers these names in forms", async () => {
    const { value: pet } = await shop.client.createPet({ name: "Wuff", categoryId: 70n, status: "available" })
    await signIn()
    const nameField = () => form().getByRole("textbox", { name: "Name" })
    await counter.page.getByRole("button", { name: "Categories" }).click()
    await form().getByLabel("Number").fill("70")
    await nameField().fill("Dogs")
    await form().getByRole("button", { name: "Save the name" }).click()
    await form().getByRole("button", { name: "Rename Dogs, 70" }).waitFor()
    await form().getByLabel("Number").fill("70")
    await nameField().fill("Cats")
    await form().getByRole("button", { name: "Save the name" }).click()
    const problem = counter.page.locator("[data-category-form] [data-problem]")
    await expect.poll(() => problem.innerText()).toBe("Category 70 is already called Dogs: rename it in the list.")
    await form().getByRole("button", { name: "Close" }).click()
    await expect.poll(() => rowsOf().filter({ hasText: "Wuff" }).innerText()).toContain("Dogs")
    await openForm()
    await nameField().fill("Waff")
    await form().getByRole("combobox", { name: "Category" }).selectOption("Dogs")
    await add()
    await expect.poll(latest).toContain("Added Waff")
    const [waff] = await petsNamed("Waff")
    expect((await shop.client.getPet(waff ?? 0n)).value.categoryId).toBe(70n)
    await counter.page.getByRole("button", { name: "Categories" }).click()
    await form().getByRole("button", { name: "Rename Dogs, 70" }).click()
    await expect.poll(() => nameField().inputValue()).toBe("Dogs")
    await shop.client.categories.replace(70n, { name: "Hounds" })
    await nameField().fill("Puppies")
    await form().getByRole("button", { name: "Save the name" }).click()
    await expect.poll(() => problem.innerText()).toContain("it is now Hounds. You wanted Puppies.")
    await form().getByRole("button", { name: "Remove Hounds, 70" }).click()
    expect(await dialog().innerText()).toContain("Remove the name Hounds of category 70?")
    await dialog().getByRole("button", { name: "Remove" }).click()
    await expect.poll(latest).toContain("Removed the name Hounds")
    await expect(shop.client.categories.get(70n)).rejects.toMatchObject({ code: "category_not_found" })
    expect((await shop.client.getPet(pet.id)).value.categoryId).toBe(70n)
  })

  it("asks for one confirmation at a time, even if the response to an earlier click arrives late", async () => {
    const [slow, quick] = [
      (await shop.client.createPet({ name: "Slow", categoryId: 1n, status: "available" })).value,
      (await shop.client.createPet({ name: "Quick", categoryId: 1n, status: "available" })).value,
    ]
    await signIn()
    const late = new RegExp(`[?&]id=${slow.id}$`)
    const release = await shop.hold(late)
    await counter.page.getByRole("button", { name: `Remove Slow, ${slow.id}` }).click()
    await counter.page.getByRole("button", { name: `Sell Quick, ${quick.id}` }).click()
    await dialog().waitFor()
    const responded = counter.page.waitForResponse(late)
    await release()
    await responded
    await counter.page.waitForTimeout(500)
    expect(await dialog().innerText()).toContain(`Sell Quick, animal ${quick.id}?`)
    await dialog().getByRole("button", { name: "Go back" }).click()
    await expect.poll(() => dialog().innerText()).toContain("Remove Slow")
    await dialog().getByRole("button", { name: "Go back" }).click()
    expect((await shop.client.getPet(slow.id)).value.status).toBe("available")
    expect((await shop.client.getPet(quick.id)).value.status).toBe("available")
  })

  it("keeps the input for the next animal if the response for an earlier animal arrives late", async () => {
    await signIn()
    const release = await shop.hold("**/v1/pets")
    await typeAnimal("First")
    await add()
    await form().getByLabel("Name").fill("Second")
    await release()
    await expect.poll(latest).toContain("Added First")
    expect(await form().getByLabel("Name").inputValue()).toBe("Second")
  })

  it("shows whose key is in use, and with a read-only key no control that makes changes, from the start", async () => {
    await made("Look")
    const { key: readOnly } = await createKey(shop.environment, "counter", "--read-only")
    await signIn(counter.page, readOnly)
    expect(await counter.page.locator("[data-whose]").innerText()).toBe("counter")
    expect(await counter.page.locator("[data-read-only]").innerText()).toContain("This key is read-only")
    for (const name of ["Add an animal", "Categories"])
      expect(await counter.page.getByRole("button", { name }).isVisible()).toBe(false)
    expect(await rowsOf().getByRole("button").count()).toBe(0)
    await counter.page.locator("[data-history] li").first().waitFor()
    expect(await counter.page.getByRole("button", { name: "Undo" }).count()).toBe(0)
    await counter.page.getByRole("button", { name: "Sign out" }).click()
    await signIn()
    expect(await counter.page.getByRole("button", { name: "Add an animal" }).isVisible()).toBe(true)
  })

  it("keeps an unsaved correction when the key is revoked", async () => {
    const { value: pet } = await shop.client.createPet({ name: "Kurtz", categoryId: 1n, status: "available" })
    const own = await createKey(shop.environment, "counter")
    await counter.page.getByLabel("API key").fill(own.key)
    await counter.page.getByRole("button", { name: "Sign in" }).click()
    await counter.page.getByRole("button", { name: `Edit Kurtz, ${pet.id}` }).click()
    await form().getByLabel("Name").fill("Kurt")
    await petstore(shop.environment, "keys", "revoke", own.id)
    await expect.poll(() => counter.page.locator("[data-sign-in-problem]").innerText()).toContain("not accepted")
    await signIn()
    await form().getByRole("button", { name: "Save" }).click()
    await expect.poll(async () => (await shop.client.getPet(pet.id)).value.name).toBe("Kurt")
  })

  it("finds and sells an animal with the keyboard alone, without calling a deprecated operation", async () => {
    const { value: pet } = await shop.client.createPet({ name: "Tastar", categoryId: 1n, status: "available" })
    await signIn()
    const deprecated: Array<string> = []
    counter.page.on("request", (request) => {
      if (request.method() === "GET" && /\/v1\/pets\/\d+$/.test(request.url())) deprecated.push(request.url())
    })
    await counter.page.getByRole("searchbox").focus()
    await counter.page.keyboard.type("tastar")
    await expect.poll(names).toEqual(["Tastar"])
    const focusOn = async (label: string) => {
      for (let tabs = 0; tabs < 16; tabs += 1) {
        if ((await counter.page.evaluate("document.activeElement.getAttribute('aria-label')")) === label) return
        await counter.page.keyboard.press("Tab")
      }
    }
    await expect.poll(() => counter.page.getByRole("button", { name: `Edit Tastar, ${pet.id}` }).isEnabled()).toBe(true)
    await focusOn(`Edit Tastar, ${pet.id}`)
    await counter.page.keyboard.press("Enter")
    await form().waitFor()
    await counter.page.keyboard.press("Escape")
    await counter.page.getByRole("searchbox").focus()
    await focusOn(`Sell Tastar, ${pet.id}`)
    await counter.page.keyboard.press("Enter")
    await expect.poll(() => dialog().getByRole("button", { name: "Sell" }).isEnabled()).toBe(true)
    await counter.page.keyboard.press("Enter")
    await expect.poll(latest).toContain("Sold Tastar")
    expect(deprecated).toEqual([])
  })

  it("adds several animals one after another with the keyboard alone", async () => {
    await signIn()
    await counter.page.getByRole("button", { name: "Add an animal" }).press("Enter")
    await form().getByRole("combobox", { name: "Category" }).selectOption("By its number")
    await form().getByLabel("Category number").fill("4")
    await form().getByLabel("Add another one after this").press("Space")
    await form().getByLabel("Name").focus()
    for (const name of ["Row 1", "Row 2", "Row 3"]) {
      await counter.page.keyboard.type(name)
      await counter.page.keyboard.press("Enter")
      await expect.poll(() => counter.page.locator("[data-added]").innerText()).toContain(`Added ${name}`)
    }
    await counter.page.keyboard.press("Escape")
    for (const name of ["Row 1", "Row 2", "Row 3"]) expect(await petsNamed(name)).toHaveLength(1)
  })

  it("shows other people's changes within a few seconds, and receives entity tags", async () => {
    await signIn()
    const before = Number(await number("sold"))
    await shop.client.createPet({ name: "Kim", categoryId: 1n, status: "sold" })
    await expect.poll(() => number("sold")).toBe(String(before + 1))
    const etagged = await counter.page.evaluate(
      `fetch("/v1/store/inventory", { headers: { Authorization: "Bearer ${shop.key}" } }).then((r) => r.headers.get("etag"))`,
    )
    expect(etagged).toMatch(/^"/)
  })

  it("pages forward and back through the list", async () => {
    for (let index = 0; index < 41; index += 1)
      await shop.client.createPet({ name: `Fish ${index}`, categoryId: 2n, status: "pending" })
    await signIn()
    await view("On hold")
    await expect.poll(() => counter.page.locator("[data-list]").getAttribute("aria-busy")).toBe("false")
    expect(await counter.page.locator("[data-caption]").textContent()).toBe("Animals on hold")
    expect(await rowsOf().count()).toBe(20)
    const first = await rowsOf().first().innerText()
    await counter.page.getByRole("button", { name: "Next" }).click()
    await expect.poll(() => counter.page.locator("[data-page]").innerText()).toBe("Page 2")
    await expect.poll(() => rowsOf().first().innerText()).not.toBe(first)
    await expect
      .poll(() => counter.page.evaluate("document.querySelector('#list-title').getBoundingClientRect().top >= 0"))
      .toBe(true)
    await counter.page.getByRole("button", { name: "Back" }).click()
    await expect.poll(() => rowsOf().first().innerText()).toBe(first)
  })

  it("moves only one page on a double click on Next, and shows the page number after the rows load", async () => {
    for (let index = 0; index < 61; index += 1)
      await shop.client.createPet({ name: `Ant ${index}`, categoryId: 9n, status: "sold" })
    await signIn()
    await view("Sold")
    await expect.poll(() => counter.page.locator("[data-list]").getAttribute("aria-busy")).toBe("false")
    const release = await shop.hold("**/v1/pets?*")
    await counter.page.getByRole("button", { name: "Next" }).dblclick()
    expect(await counter.page.locator("[data-page]").innerText()).toBe("Loading page 2…")
    expect(await counter.page.locator("[data-list]").getAttribute("aria-busy")).toBe("true")
    await release()
    await expect.poll(() => counter.page.locator("[data-page]").innerText()).toBe("Page 2")
  })

  it("moves the focus to the animal's name when an action removes the focused button", async () => {
    const { value: pet } = await shop.client.createPet({ name: "Near", categoryId: 3n, status: "available" })
    await signIn()
    await view("For sale")
    const reserve = counter.page.getByRole("button", { name: `Reserve Near, ${pet.id}` })
    await expect.poll(() => reserve.isEnabled()).toBe(true)
    await reserve.press("Enter")
    await expect.poll(latest).toMatch(/Reserved Near/)
    await expect.poll(() => counter.page.evaluate("document.activeElement.textContent")).toBe("Near")
  })

  it("keeps the focus on a button while the list changes around it", async () => {
    const { value: pet } = await shop.client.createPet({ name: "Focus", categoryId: 3n, status: "available" })
    await signIn()
    await view("For sale")
    await expect.poll(() => counter.page.locator("[data-list]").getAttribute("aria-busy")).toBe("false")
    const button = counter.page.getByRole("button", { name: `Reserve Focus, ${pet.id}` })
    await button.focus()
    await shop.client.createPet({ name: "Another", categoryId: 3n, status: "available" })
    await expect.poll(() => counter.page.locator("[data-arrivals]").innerText()).toBe("1 new animal: show")
    expect(await counter.page.evaluate("document.activeElement.dataset.id")).toBe(String(pet.id))
  })

  it("shows the user's own new animal at once, although the news of it refreshes the list meanwhile", async () => {
    await shop.client.createPet({ name: "Elder", categoryId: 3n })
    await signIn()
    await counter.page.route("**/v1/pets?*", async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 700))
      await route.continue()
    })
    await typeAnimal("Ownling")
    await add()
    await expect.poll(names).toContain("Ownling")
    expect(await counter.page.locator("[data-arrivals]").count()).toBe(0)
    await counter.page.unroute("**/v1/pets?*")
  })

  it("reports that the data on the page is out of date while the service is unavailable, and recovers", async () => {
    await signIn()
    await counter.page.context().setOffline(true)
    await counter.page.locator("[data-trouble]:not([hidden])").waitFor()
    expect(await counter.page.locator("[data-trouble]").innerText()).toContain("The data shown is old")
    await counter.page.context().setOffline(false)
    await counter.page.locator("[data-trouble]").waitFor({ state: "hidden" })
  })

  it("signs in automatically after an outage if the user chose to stay signed in on the device", async () => {
    await counter.page.getByLabel("Stay signed in on this device").check()
    await signIn()
    await counter.page.route("**/v1/**", (route) => route.abort())
    await counter.page.reload()
    await expect.poll(() => counter.page.locator("[data-sign-in-problem]").innerText()).toContain("keeps trying")
    await counter.page.unroute("**/v1/**")
    await counter.page.locator("[data-counter]").waitFor()
  })

  it("prints every row of the view", async () => {
    for (let index = 0; index < 45; index += 1)
      await shop.client.createPet({ name: `Bee ${index}`, categoryId: 9n, status: "pending" })
    await signIn()
    await view("On hold")
    await rowsOf().first().waitFor()
    await countOnPaper("tbody tr")
    await printKind("The list")
    const { pending } = (await shop.client.getInventory()).value
    const { items: reserved } = (await shop.client.orders.list({ status: "placed", limit: 100 })).value
    await expect.poll(() => counter.page.evaluate("window.printed[0]")).toBe(pending - reserved.length)
  })

  it("prints only the first 1000 rows of a longer list, and a note about the limit", async () => {
    const { total } = (await shop.client.getInventory()).value
    for (let more = total; more <= 1_000; more += 50)
      await Promise.all(Array.from({ length: 50 }, () => shop.client.createPet({ name: "Swarm", categoryId: 9n })))
    await signIn()
    await countOnPaper("tbody tr")
    await printKind("The list")
    await expect
      .poll(() => counter.page.evaluate("window.printed"))
      .toEqual([1_000, expect.stringContaining("Only the first 1000 animals are printed.")])
  })

  it("prints by category, and labels with name, number and category, from a phone too", async () => {
    const { value: pet } = await shop.client.createPet({ name: "Labelled", categoryId: 77n, status: "available" })
    await shop.client.createPet({ name: "Labelled too", categoryId: 78n, status: "available" })
    await counter.reopen({ viewport: { width: 390, height: 844 } })
    await signIn()
    await search("labelled")
    await expect.poll(names).toHaveLength(2)
    await countOnPaper("section")
    await printKind("The list, by category")
    await expect.poll(() => counter.page.evaluate("window.printed[0]")).toBe(2)
    await countOnPaper(".labels li")
    await printKind("Labels for the animals of this page that are not sold")
    await expect.poll(() => counter.page.evaluate("window.printed[0]")).toBe(2)
    expect(await counter.page.evaluate("window.printed[1]")).toContain(`Labelled#${pet.id}77`)
    // A phone reads the page after `print` has returned.
    const labels = counter.page.locator("[data-paper] .labels li")
    expect(await labels.count()).toBe(2)
    await counter.page.locator("h1").first().dispatchEvent("pointerdown")
    await expect.poll(() => labels.count()).toBe(0)
    await counter.page.goto(`${shop.origin}/store?find=labelled&category=77`)
    await expect.poll(names).toEqual(["Labelled"])
    await countOnPaper("tbody tr")
    await counter.page.getByRole("button", { name: "Print" }).click()
    expect(await form().locator("[data-printed]").innerText()).toBe("All animals, 77: labelled")
    await form().getByRole("button", { name: "Print" }).click()
    await expect
      .poll(() => counter.page.evaluate("window.printed"))
      .toEqual([1, expect.stringContaining("All animals, 77: labelled")])
  })

  it("prints labels for all animals of the list, on whichever page they are, but not for those that are sold", async () => {
    for (let index = 0; index < 30; index += 1)
      await shop.client.createPet({ name: `Tagged ${index}`, categoryId: 1n, status: index < 25 ? "available" : "sold" })
    await signIn()
    await search("tagged")
    await expect.poll(names).toHaveLength(20)
    await countOnPaper(".labels li")
    await printKind("Labels for the animals of this page that are not sold")
    await expect.poll(() => counter.page.evaluate("window.printed[0]")).toBe(15)
    await printKind("Labels for all animals of the list that are not sold")
    await expect.poll(() => counter.page.evaluate("window.printed[0]")).toBe(25)
  })

  it("shows a failure on a phone's screen, where all buttons are at least 44 px high", async () => {
    const { value: pet } = await shop.client.createPet({ name: "Phone", categoryId: 1n, status: "available" })
    await counter.reopen({ viewport: { width: 390, height: 844 } })
    await signIn()
    await view("For sale")
    const reserve = counter.page.getByRole("button", { name: `Reserve Phone, ${pet.id}` })
    await counter.page.route("**/v1/changes?*", (route) => route.abort())
    // From here on, nothing tells the page of the order.
    await counter.page.evaluate("dispatchEvent(new Event('offline'))")
    await counter.page.locator("[data-trouble]:not([hidden])").waitFor()
    await shop.client.orders.create({ petId: pet.id })
    await reserve.click()
    const shown = counter.page.locator("[data-latest]:not([hidden])")
    await shown.waitFor()
    const box = await shown.boundingBox()
    expect(box !== null && box.y > 0 && box.y + box.height <= 844).toBe(true)
    const heights = await counter.page.evaluate(
      "[...document.querySelectorAll('button')].map((b) => b.getBoundingClientRect().height).filter((h) => h > 0 && h < 44)",
    )
    expect(heights).toEqual([])
    await counter.page.unroute("**/v1/pets?*")
  })

  it.each([718, 1_440])("prints the rows on white paper %i px wide, with title and date, and nothing else", async (width) => {
    await counter.reopen({ colorScheme: "dark", viewport: { width, height: 1_000 } })
    await signIn()
    await counter.page.getByRole("button", { name: "Dark theme" }).click()
    await counter.page.getByRole("button", { name: "Dark theme" }).click()
    await counter.page.emulateMedia({ media: "print" })
    for (const other of [".bar", "[data-counter]", ".notices"])
      expect(await counter.page.locator(other).first().isVisible()).toBe(false)
    const paper = counter.page.locator("[data-paper]")
    expect(await paper.innerText()).toContain("Animals, page 1")
    expect(await paper.innerText()).toContain(String(new Date().getFullYear()))
    expect(await paper.locator("tbody tr").first().isVisible()).toBe(true)
    expect(await counter.page.evaluate("getComputedStyle(document.documentElement).colorScheme")).toBe("light")
  })

  it.each(views)(
    "passes axe's accessibility checks in the $colorScheme theme at a width of $viewport.width px",
    async (options) => {
      await counter.reopen(options)
      expect(await violationsOf(counter.page)).toEqual([])
      const name = `${options.colorScheme}-${options.viewport.width}`
      await counter.page.screenshot({ path: join(screenshots, `${name}-sign-in.png`) })
      await shop.client.createPet({ name: "Axel", categoryId: 1n, status: "available" })
      await signIn()
      expect(await violationsOf(counter.page)).toEqual([])
      const dialogs = [/^Add an animal$/, /^Categories$/, /^Edit Axel/, /^Remove Axel/, /^Sell Axel/] as const
      for (const [place, opened] of dialogs.entries()) {
        await counter.page.getByRole("button", { name: opened }).first().click()
        await counter.page.locator("dialog[open]").waitFor()
        expect(await violationsOf(counter.page)).toEqual([])
        await counter.page.screenshot({ path: join(screenshots, `${name}-dialog-${place}.png`) })
        await counter.page.keyboard.press("Escape")
      }
      expect(await counter.page.evaluate("document.documentElement.scrollWidth")).toBe(options.viewport.width)
      await counter.page.screenshot({ path: join(screenshots, `${name}.png`), fullPage: true })
    },
  )
})
