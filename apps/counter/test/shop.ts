/** What the browser tests of the store page share: a service with its clients, and what store staff do on the page. */
import { createClient } from "@petstore/client"
import { createKey, petstore, TemporaryStore } from "@petstore/harness/command"
import { type Service, startService } from "@petstore/harness/serving"
import { declarePages, type Page } from "@petstore/test/chromium"
import { afterAll, afterEach, expect } from "vitest"

/** Starts one service for the tests of a file. Each test has a page of its own, which belongs to the first clerk. */
export const declareShop = () => {
  let store: TemporaryStore
  let serving: Service
  let origin: string
  let key: string
  let client: ReturnType<typeof createClient>

  const start = async (): Promise<void> => {
    store = new TemporaryStore()
    await petstore(store.environment, "accounts", "create", "counter")
    key = (await createKey(store.environment, "counter")).key
    serving = await startService(store.environment)
    origin = new URL(serving.baseUrl).origin
    client = createClient({ baseUrl: `${origin}/v1`, apiKey: key })
  }
  const counter = declarePages(start, () => `${origin}/store`)

  afterAll(async () => {
    await serving?.stop()
    store?.remove()
  })
  afterEach(() => {
    const { requested, complaints } = counter.heard
    const elsewhere = requested.filter((url) => !url.startsWith("data:") && new URL(url).origin !== origin)
    expect([elsewhere, complaints.filter((text) => !text.includes("Failed to load resource"))]).toEqual([[], []])
  })

  const rowsOf = () => counter.page.locator("[data-rows] tr")
  const form = () => counter.page.getByRole("dialog")
  const signIn = async (page: Page = counter.page, apiKey = key): Promise<void> => {
    await page.getByLabel("API key").fill(apiKey)
    await page.getByRole("button", { name: "Sign in" }).click()
    await page.locator("[data-rows] tr, [data-empty]:not([hidden])").first().waitFor()
  }
  const openForm = () => counter.page.getByRole("button", { name: "Add an animal" }).click()
  return {
    counter,
    /** Resolves once no button of a question or, without one, of a row or a message waits because of a change. */
    calm: () => {
      const places = "[role=alertdialog], body:not(:has([role=alertdialog][open])) :is(.actions, .latest)"
      const waiting = counter.page.locator(`:is(${places}) [aria-disabled=true]`)
      return expect.poll(() => waiting.count()).toBe(0)
    },
    /** Holds requests back until the returned function is called. */
    hold: async (url: string | RegExp): Promise<() => Promise<void>> => {
      let release = () => {}
      const held = new Promise<void>((resolve) => {
        release = resolve
      })
      await counter.page.route(url, async (route) => {
        await held
        // The page may have given the request up.
        await route.continue().catch(() => {})
      })
      return async () => {
        release()
        await counter.page.unrouteAll({ behavior: "wait" })
      }
    },
    /** Acts for another clerk, without a page. */
    get client() {
      return client
    },
    get key(): string {
      return key
    },
    get origin(): string {
      return origin
    },
    get environment() {
      return store.environment
    },
    signIn,
    number: (name: string) => counter.page.locator(`[data-number="${name}"]`).innerText(),
    rowsOf,
    view: (name: string) => counter.page.getByRole("group", { name: "Show" }).getByRole("button", { name, exact: true }).click(),
    form,
    openForm,
    typeAnimal: async (name: string, category = "1"): Promise<void> => {
      await openForm()
      await form().getByLabel("Name").fill(name)
      await form().getByRole("combobox", { name: "Category" }).selectOption("By its number")
      await form().getByLabel("Category number").fill(category)
    },
    search: (text: string) => counter.page.getByRole("searchbox").fill(text),
    names: () => rowsOf().locator("th .pet-name").allInnerTexts(),
    add: () => counter.page.getByRole("button", { name: "Add", exact: true }).click(),
    dialog: () => counter.page.getByRole("alertdialog"),
    latest: () => counter.page.locator("[data-latest]").innerText(),
    /** Opens a page for a colleague with a key and a browser of their own, who has signed in. The caller closes its context. */
    colleague: async (): Promise<Page> => {
      await petstore(store.environment, "accounts", "create", "Berta").catch(() => {})
      const own = await createKey(store.environment, "Berta")
      const page = await counter.page.context().browser()?.newPage({ reducedMotion: "reduce" })
      if (page === undefined) throw new Error("no browser")
      await page.goto(`${origin}/store`)
      await signIn(page, own.key)
      return page
    },
    /** Makes an available animal, as the second clerk. */
    made: async (name: string) => (await client.createPet({ name, categoryId: 1n, status: "available" })).value,
    petsNamed: async (name: string) => {
      const found: Array<bigint> = []
      for await (const pet of client.listAllPets()) if (pet.name === name) found.push(pet.id)
      return found
    },
  }
}
