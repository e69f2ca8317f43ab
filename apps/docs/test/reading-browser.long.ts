/** The docs page in a real Chromium: what readers see and find. */
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { violationsOf } from "@petstore/test/chromium"
import { beforeEach, describe, expect, it } from "vitest"
import { declareDocsPage, screenshots } from "./docs-page.ts"
import { operations } from "./page-samples.ts"

const sizes = [
  { width: 390, height: 844 },
  { width: 1280, height: 900 },
]
const views = (["light", "dark"] as const).flatMap((colorScheme) => sizes.map((viewport) => ({ colorScheme, viewport })))

const docs = declareDocsPage()

describe("the page", () => {
  it("loads at most 60 kB plus 11 kB for each operation, 44 kB if compressed, only from its own origin and without browser errors", async () => {
    const contentOf = async (path: string) => Buffer.from(await (await fetch(`${docs.service.origin}${path}`)).arrayBuffer())
    await docs.page.waitForLoadState("networkidle")
    const paths = docs.heard.requested.filter((url) => url.startsWith("http")).map((url) => url.replace(docs.service.origin, ""))
    expect(paths.toSorted()).toEqual(["/docs", "/docs/page.css", "/docs/page.js", "/docs/theme.js"])
    const contents = await Promise.all(paths.map(contentOf))
    const sum = (sizes: ReadonlyArray<number>) => sizes.reduce((total, size) => total + size)
    expect(sum(contents.map(({ length }) => length))).toBeLessThan(60_000 + 11_000 * operations.length)
    expect(sum(contents.map((content) => gzipSync(content).length))).toBeLessThan(44_000)
    expect(docs.heard.complaints).toEqual([])
  })

  it("shows the address that it was loaded from in every sample", async () => {
    const shown = await docs.page.locator("[data-base], [data-samples] code").allTextContents()
    expect(shown.length).toBeGreaterThan(20)
    expect(shown.filter((text) => !text.includes(`${docs.service.origin}/v1`))).toEqual([])
  })

  it("shows operations, errors and samples without scripts, and hides the forms", async () => {
    await docs.reopen({ javaScriptEnabled: false })
    expect(await docs.page.locator("h1").innerText()).toBe("Pet Store Inventory")
    expect(await docs.page.locator("#error-pet_not_found").innerText()).toContain("No pet has this identifier.")
    expect(await docs.page.locator("#listPets pre").first().isVisible()).toBe(true)
    expect(await docs.page.locator("[data-try]").first().isVisible()).toBe(false)
  })

  it("changes its theme on a click, and keeps the choice after a reload", async () => {
    const background = () => docs.page.evaluate("getComputedStyle(document.body).backgroundColor")
    const before = await background()
    await docs.page.getByRole("button", { name: "Dark theme" }).click()
    expect(await background()).not.toBe(before)
    await docs.page.reload()
    expect(await background()).not.toBe(before)
    expect(await docs.page.getByRole("button", { name: "Dark theme" }).getAttribute("aria-pressed")).toBe("true")
  })

  it("shows its search next to the text in a wide window", async () => {
    await docs.page.setViewportSize({ width: 1440, height: 900 })
    const [search, text] = await Promise.all(
      ["[data-search-open]", "main"].map((selector) => docs.page.locator(selector).boundingBox()),
    )
    expect((search?.x ?? 0) + (search?.width ?? 0)).toBeLessThanOrEqual(text?.x ?? 0)
  })

  it("opens its table of contents by keyboard on a phone, and closes it with Escape", async () => {
    await docs.page.setViewportSize({ width: 390, height: 844 })
    const menu = docs.page.getByRole("button", { name: "Contents" })
    expect(await docs.page.locator("#contents").isVisible()).toBe(false)
    await menu.focus()
    await docs.page.keyboard.press("Enter")
    expect(await docs.page.locator("#contents").isVisible()).toBe(true)
    await docs.page.keyboard.press("Escape")
    expect(await docs.page.locator("#contents").isVisible()).toBe(false)
    expect(await docs.page.evaluate("document.activeElement.getAttribute('aria-label')")).toBe("Contents")
  })

  it("changes the language of all samples with an arrow key", async () => {
    await docs.page.locator("#createPet [role=tab]").first().focus()
    await docs.page.keyboard.press("ArrowRight")
    expect(await docs.page.locator("#createPet [role=tab][aria-selected=true]").innerText()).toBe("TypeScript")
    expect(await docs.page.locator("#listPets pre:visible").first().innerText()).toContain("createClient")
  })

  it.each(views)("passes axe's accessibility checks in the $colorScheme theme at a width of $viewport.width px", async (view) => {
    await docs.reopen(view)
    await docs.paste(docs.service.key)
    const folded = docs.page.locator("[data-fold]:not([open]) > summary")
    while ((await folded.count()) > 0) await folded.first().click()
    for (const operation of ["listPets", "createPet", "getPet", "createOrder"]) await docs.tryIt(operation)
    await docs.sendFrom("createPet")
    await docs.page.locator("#try-getPet-petId").fill("1")
    await docs.sendFrom("getPet")
    expect(await violationsOf(docs.page)).toEqual([])
    const width = await docs.page.evaluate("document.documentElement.scrollWidth")
    expect(width).toBe(view.viewport.width)
    const name = `${view.colorScheme}-${view.viewport.width}`
    await docs.page.screenshot({ path: join(screenshots, `${name}.png`), fullPage: true })
    await docs.page.locator("#createPet").screenshot({ path: join(screenshots, `${name}-try.png`) })
  })
})

/** A phone in the light theme and a wide window in the dark one: the guides have no styles that the docs page has not. */
const viewsOfGuides = views.filter(({ colorScheme, viewport }) => (colorScheme === "light") === viewport.width < 1000)

describe.each(["following", "webhooks", "agents"])("the guide /docs/%s", (id) => {
  it.each(viewsOfGuides)(
    "passes axe's accessibility checks in the $colorScheme theme at a width of $viewport.width px",
    async (view) => {
      await docs.reopen(view)
      await docs.page.goto(`${docs.service.origin}/docs/${id}`)
      expect(await violationsOf(docs.page)).toEqual([])
      expect(await docs.page.evaluate("document.documentElement.scrollWidth")).toBe(view.viewport.width)
      expect(docs.heard.complaints).toEqual([])
      for (const base of await docs.page.locator("[data-base]").allTextContents()) expect(base).toBe(`${docs.service.origin}/v1`)
      const name = `${id}-${view.colorScheme}-${view.viewport.width}.png`
      await docs.page.screenshot({ path: join(screenshots, name), fullPage: true })
    },
  )
})

describe("the page on a phone", () => {
  beforeEach(async () => {
    await docs.reopen({ viewport: { width: 390, height: 844 } })
  })

  it("is collapsed to a few screens, and expands the selected part", async () => {
    expect(await docs.page.evaluate("document.documentElement.scrollHeight")).toBeLessThan(8 * 844)
    expect(await docs.page.locator("#listPets .endpoint").isVisible()).toBe(true)
    expect(await docs.page.locator("#listPets .columns").isVisible()).toBe(false)
    await docs.page.locator("#listPets > details > summary").press("Enter")
    expect(await docs.page.locator("#listPets .columns").isVisible()).toBe(true)
  })

  it("keeps its title apart from the search button", async () => {
    const [title, search] = await Promise.all(
      [".brand", "[data-search-open]"].map((selector) => docs.page.locator(selector).boundingBox()),
    )
    expect((search?.x ?? 0) - (title?.x ?? 0) - (title?.width ?? 0)).toBeGreaterThanOrEqual(8)
  })

  it("aligns the operations' names in its table of contents", async () => {
    await docs.page.getByRole("button", { name: "Contents" }).click()
    const names = await docs.page.locator("#contents a:has(.method) span:last-child").all()
    const places = await Promise.all(names.map((name) => name.boundingBox()))
    expect(new Set(places.map((box) => box?.x)).size).toBe(1)
  })

  it("fits into a width of 320 px", async () => {
    await docs.page.setViewportSize({ width: 320, height: 844 })
    expect(await docs.page.evaluate("document.documentElement.scrollWidth")).toBe(320)
  })

  it("expands the part that a link leads to", async () => {
    await docs.page.goto("about:blank")
    await docs.page.goto(`${docs.service.origin}/docs#error-pet_not_found`)
    await expect.poll(() => docs.page.locator("#error-pet_not_found").isVisible()).toBe(true)
    const top = () => docs.page.locator("#error-pet_not_found").evaluate((entry) => entry.getBoundingClientRect().top)
    await expect.poll(top).toBeLessThan(844)
  })
})

describe("search", () => {
  const results = () => docs.page.locator("[data-search-results] .search-title").allInnerTexts()

  it("opens with Ctrl+K, finds headers, fields, errors and guides, and goes to a result with Enter", async () => {
    await docs.page.keyboard.press("Control+k")
    await docs.page.keyboard.type("idempotency")
    expect(await results()).toEqual(expect.arrayContaining(["Idempotency-Key", "Safe retries", "idempotency_key_reused"]))
    await docs.page.locator("[data-search-words]").fill("categoryId")
    await docs.page.keyboard.press("Enter")
    await expect.poll(docs.hash).toBe("#createPet-body-categoryId")
    expect(await docs.page.locator("[data-search]").isVisible()).toBe(false)
  })

  it.each([
    ["pagination", "Paging"],
    ["install", "Client for TypeScript"],
    ["sdk", "Client for TypeScript"],
    ["llm", "Agents"],
    ["webhook", "Webhooks"],
    ["callback", "Webhooks"],
    ["verify signature", "Webhooks"],
    ["read-only key", "Agents"],
    ["realtime", "Follow changes"],
    ["history", "Follow changes"],
    ["delete", "Remove an animal"],
    ["update", "Correct an animal"],
    ["login", "Authentication"],
    ["pagnation", "Paging"],
    ["idempotancy", "Idempotency-Key"],
    ["category", "categoryId"],
    ["conflict", "pet_not_available"],
    ["conflict", "precondition_failed"],
    ["sort", "order"],
    ["pet not found", "pet_not_found"],
  ])('answers "%s" with the result "%s"', async (typed, title) => {
    await docs.page.getByRole("button", { name: "Search" }).click()
    await docs.page.locator("[data-search-words]").fill(typed)
    expect(await results()).toContain(title)
  })

  it.each([
    ["batch", "petstore import"],
    ["import", "petstore import"],
    ["export", "petstore export"],
    ["swagger", "/openapi.json"],
  ])('answers "%s" with a note that contains "%s"', async (typed, text) => {
    await docs.page.keyboard.press("Control+k")
    await docs.page.keyboard.type(typed)
    expect(await docs.page.locator("[data-search-note]").innerText()).toContain(text)
  })

  it("moves the selection with arrow keys, reports that nothing was found, and closes with Escape", async () => {
    await docs.page.getByRole("button", { name: "Search" }).click()
    await docs.page.keyboard.press("ArrowDown")
    expect(await docs.page.locator("[role=option][aria-selected=true]").getAttribute("id")).toBe("search-result-1")
    expect(await docs.page.locator("[data-search-words]").getAttribute("aria-activedescendant")).toBe("search-result-1")
    await docs.page.keyboard.type("unicorn")
    expect(await docs.page.locator("[data-search-note]").innerText()).toBe("Nothing found for “unicorn”.")
    await docs.page.keyboard.press("Escape")
    expect(await docs.page.locator("[data-search]").isVisible()).toBe(false)
  })

  it("goes to the page of a guide, whose own search button leads back to the search", async () => {
    await docs.page.keyboard.press("Control+k")
    await docs.page.keyboard.type("webhook")
    await docs.page.locator("[role=option]", { hasText: "Webhooks" }).first().click()
    await docs.page.waitForURL(`${docs.service.origin}/docs/webhooks`)
    await docs.page.getByRole("link", { name: "Search" }).click()
    await expect.poll(() => docs.page.locator("[data-search]").isVisible()).toBe(true)
  })

  it("passes axe's accessibility checks", async () => {
    await docs.page.keyboard.press("Control+k")
    expect(await violationsOf(docs.page, "[data-search]")).toEqual([])
    await docs.page.screenshot({ path: join(screenshots, "search.png") })
  })
})
