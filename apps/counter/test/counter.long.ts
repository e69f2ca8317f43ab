/** The counter in a real Chromium, against the real service: what the people of a store see and do. */
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createClient } from "@petstore/client"
import { createKey, petstore, TemporaryStore } from "@petstore/harness/command"
import { type Service, startService } from "@petstore/harness/serving"
import { axeSource, declarePages } from "@petstore/test/chromium"
import { afterAll, afterEach, describe, expect, it } from "vitest"

/** A place to look at them afterwards: they are not compared, people look at them. */
const screenshots = join(tmpdir(), "petstore-counter-screenshots")

const views = (["light", "dark"] as const).flatMap((colorScheme) =>
  [
    { width: 390, height: 844 },
    { width: 1280, height: 900 },
  ].map((viewport) => ({ colorScheme, viewport })),
)

let store: TemporaryStore
let serving: Service
let origin: string
let key: string
let client: ReturnType<typeof createClient>

const serve = async (): Promise<void> => {
  serving = await startService(store.environment)
  origin = new URL(serving.baseUrl).origin
  client = createClient({ baseUrl: `${origin}/v1`, apiKey: key })
}

const start = async (): Promise<void> => {
  store = new TemporaryStore()
  await petstore(store.environment, "accounts", "create", "counter")
  key = (await createKey(store.environment, "counter")).key
  await serve()
}

const counter = declarePages(start, () => `${origin}/store`)

const signIn = async (): Promise<void> => {
  await counter.page.getByLabel("API key").fill(key)
  await counter.page.getByRole("button", { name: "Sign in" }).click()
  await counter.page.locator("[data-rows] tr, [data-empty]:not([hidden])").first().waitFor()
}

const number = (name: string) => counter.page.locator(`[data-number="${name}"]`).innerText()
const rowsOf = () => counter.page.locator("[data-rows] tr")
const view = (name: string) =>
  counter.page.getByRole("group", { name: "Show" }).getByRole("button", { name, exact: true }).click()

afterAll(async () => {
  await serving?.stop()
  store?.remove()
})
afterEach(() => {
  const { requested, complaints } = counter.heard
  const elsewhere = requested.filter((url) => !url.startsWith("data:") && new URL(url).origin !== origin)
  expect([elsewhere, complaints.filter((text) => !text.includes("Failed to load resource"))]).toEqual([[], []])
})

describe("signing in", () => {
  it("takes a key, keeps it for the page only, and forgets it with a reload", async () => {
    await signIn()
    expect(
      await counter.page.evaluate("JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])"),
    ).not.toContain(key)
    await counter.page.reload()
    expect(await counter.page.locator("[data-sign-in]").isVisible()).toBe(true)
  })

  it("stays signed in on the device if one asks for it, until one signs out", async () => {
    await counter.page.getByLabel("Stay signed in on this device").check()
    await signIn()
    await counter.page.reload()
    await counter.page.locator("[data-counter]").waitFor()
    await counter.page.getByRole("button", { name: "Sign out" }).click()
    await counter.page.reload()
    expect(await counter.page.locator("[data-sign-in]").isVisible()).toBe(true)
  })

  it("says why a key is not taken", async () => {
    await counter.page.getByLabel("API key").fill(`pst_dev_${"0".repeat(38)}`)
    await counter.page.getByRole("button", { name: "Sign in" }).click()
    await expect.poll(() => counter.page.locator("[data-sign-in-problem]").innerText()).toMatch(/key/i)
  })

  it("asks for another key when this one is revoked", async () => {
    const own = await createKey(store.environment, "counter")
    await counter.page.getByLabel("API key").fill(own.key)
    await counter.page.getByRole("button", { name: "Sign in" }).click()
    await counter.page.locator("[data-counter]").waitFor()
    await petstore(store.environment, "keys", "revoke", own.id)
    await expect.poll(() => counter.page.locator("[data-sign-in-problem]").innerText()).toContain("revoked")
  })
})

describe("the counter", () => {
  it("adds an animal and shows it in the list, the numbers and what was done, its identifiers exact", async () => {
    await signIn()
    const before = Number(await number("available"))
    await counter.page.getByLabel("Name").fill("Bello <b>")
    await counter.page.getByLabel("Category").fill("9223372036854775807")
    await counter.page.getByRole("button", { name: "Add", exact: true }).click()
    await expect.poll(() => number("available")).toBe(String(before + 1))
    expect(await rowsOf().filter({ hasText: "Bello <b>" }).innerText()).toContain("9223372036854775807")
    expect(await counter.page.locator("[data-activity] li").first().innerText()).toMatch(/Added Bello <b> as animal \d+\./)
  })

  it("says which field is wrong before anything is sent", async () => {
    await signIn()
    await counter.page.getByLabel("Name").fill("Rex")
    await counter.page.getByLabel("Category").fill("1.5")
    await counter.page.getByRole("button", { name: "Add", exact: true }).click()
    expect(await counter.page.locator("[data-add-problem]").innerText()).toBe("The category is a whole number, in digits.")
    expect(await counter.page.evaluate("document.activeElement.name")).toBe("categoryId")
  })

  it("reserves an animal, completes its order, and cancels another", async () => {
    const [one, other] = [
      await client.createPet({ name: "Mia", categoryId: 1n, status: "available" }),
      await client.createPet({ name: "Tom", categoryId: 1n, status: "available" }),
    ]
    await signIn()
    await view("Available")
    for (const pet of [one, other]) await counter.page.getByRole("button", { name: `Reserve ${pet.name}, ${pet.id}` }).click()
    await view("Reserved")
    await counter.page.getByRole("button", { name: /^Complete order \d+, Mia$/ }).click()
    await counter.page.getByRole("button", { name: /^Cancel order \d+, Tom$/ }).click()
    await expect.poll(async () => (await client.getPet(one.id)).status).toBe("sold")
    await expect.poll(async () => (await client.getPet(other.id)).status).toBe("available")
    await view("Sold")
    await rowsOf().filter({ hasText: "Mia" }).waitFor()
    await expect.poll(() => counter.page.locator("[data-activity]").innerText()).toMatch(/Completed order \d+ of animal/)
  })

  it("says when somebody else was faster", async () => {
    const pet = await client.createPet({ name: "Leo", categoryId: 1n, status: "available" })
    await signIn()
    await counter.page.locator("#find-id").fill(String(pet.id))
    await counter.page.getByRole("button", { name: "Look up" }).click()
    await counter.page.locator("[data-found] tr").waitFor()
    await client.orders.create({ petId: pet.id })
    await counter.page
      .locator("[data-found]")
      .getByRole("button", { name: /^Reserve/ })
      .click()
    await expect.poll(() => counter.page.locator("[data-activity] li").first().innerText()).toContain("Somebody else was faster")
  })

  it("looks an animal up by its identifier, past 2^53 too", async () => {
    await signIn()
    await counter.page.locator("#find-id").fill("9007199254740993")
    await counter.page.getByRole("button", { name: "Look up" }).click()
    await expect.poll(() => counter.page.locator("[data-find-problem]").innerText()).toContain("9007199254740993")
  })

  it("shows what others do within a few seconds, by answers without a body while nothing changes", async () => {
    await signIn()
    const statuses: Array<number> = []
    counter.page.on("response", (response) => statuses.push(response.status()))
    const before = Number(await number("sold"))
    await client.createPet({ name: "Kim", categoryId: 1n, status: "sold" })
    await expect.poll(() => number("sold")).toBe(String(before + 1))
    const etagged = await counter.page.evaluate(
      `fetch("/v1/store/inventory", { headers: { Authorization: "Bearer ${key}" } }).then((r) => r.headers.get("etag"))`,
    )
    expect(etagged).toMatch(/^"/)
  })

  it("pages through the list and back", async () => {
    for (let index = 0; index < 41; index += 1)
      await client.createPet({ name: `Fish ${index}`, categoryId: 2n, status: "pending" })
    await signIn()
    await view("Pending")
    await expect.poll(() => counter.page.locator("[data-caption]").textContent()).toBe("Pending animals")
    expect(await rowsOf().count()).toBe(20)
    const first = await rowsOf().first().innerText()
    await counter.page.getByRole("button", { name: "Next" }).click()
    await expect.poll(() => counter.page.locator("[data-page]").innerText()).toBe("Page 2")
    await expect.poll(() => rowsOf().first().innerText()).not.toBe(first)
    await counter.page.getByRole("button", { name: "Back" }).click()
    await expect.poll(() => rowsOf().first().innerText()).toBe(first)
  })

  it("keeps the focus on a button while the list changes around it", async () => {
    const pet = await client.createPet({ name: "Focus", categoryId: 3n, status: "available" })
    await signIn()
    await view("Available")
    await rowsOf().filter({ hasText: "Focus" }).waitFor()
    const button = counter.page.getByRole("button", { name: `Reserve Focus, ${pet.id}` })
    await button.focus()
    await client.createPet({ name: "Another", categoryId: 3n, status: "available" })
    await expect.poll(() => counter.page.locator("[data-rows]").innerText()).toContain("Another")
    expect(await counter.page.evaluate("document.activeElement.dataset.id")).toBe(String(pet.id))
  })

  it("says that it is old while the service is away, and recovers", async () => {
    await signIn()
    await counter.page.context().setOffline(true)
    await counter.page.locator("[data-trouble]:not([hidden])").waitFor()
    expect(await counter.page.locator("[data-trouble]").innerText()).toContain("What is shown is old")
    await counter.page.context().setOffline(false)
    await counter.page.locator("[data-trouble]").waitFor({ state: "hidden" })
  })

  it("prints the list without its controls", async () => {
    await signIn()
    await counter.page.emulateMedia({ media: "print" })
    expect(await counter.page.locator("[data-numbers]").isVisible()).toBe(true)
    for (const control of [".views", ".find", ".pages", ".add"])
      expect(await counter.page.locator(control).isVisible()).toBe(false)
  })

  it.each(views)("has no fault that axe finds: $colorScheme, $viewport.width", async (options) => {
    await counter.reopen(options)
    const check = async () => {
      await counter.page.evaluate(axeSource)
      const found = Object(await counter.page.evaluate("axe.run()")).violations
      return found.map(({ id, nodes }: { id: string; nodes: ReadonlyArray<{ html: string }> }) => [
        id,
        ...nodes.map(({ html }) => html),
      ])
    }
    expect(await check()).toEqual([])
    const name = `${options.colorScheme}-${options.viewport.width}`
    await counter.page.screenshot({ path: join(screenshots, `${name}-sign-in.png`) })
    await signIn()
    await counter.page.locator("#find-id").fill("1")
    await counter.page.getByRole("button", { name: "Look up" }).click()
    await counter.page.locator("[data-found] tr").waitFor()
    expect(await check()).toEqual([])
    expect(await counter.page.evaluate("document.documentElement.scrollWidth")).toBe(options.viewport.width)
    await counter.page.screenshot({ path: join(screenshots, `${name}.png`), fullPage: true })
  })
})
