/** The docs page in a real Chromium: what a reader sees, sends and is told. */
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createKey, inMemory, petstore, TemporaryStore, until } from "@petstore/harness/command"
import { type Service, startService } from "@petstore/harness/serving"
import { axeSource, launchChromium } from "@petstore/test/chromium"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { startFailingService } from "../../failing-service.js"

type Browser = Awaited<ReturnType<typeof launchChromium>>
type Page = Awaited<ReturnType<Browser["newPage"]>>

/** A place to look at them afterwards: they are not compared, people look at them. */
const screenshots = join(tmpdir(), "petstore-docs-screenshots")

const sizes = [
  { width: 390, height: 844 },
  { width: 1280, height: 900 },
]
const views = (["light", "dark"] as const).flatMap((colorScheme) => sizes.map((viewport) => ({ colorScheme, viewport })))

let browser: Browser
let service: Service
let page: Page
/** What the browser complained about in a test, and every address it asked for. */
let complaints: Array<string> = []
let requested: Array<string> = []

const open = async (options: Parameters<Browser["newPage"]>[0] = {}, origin = service.origin): Promise<Page> => {
  const opened = await browser.newPage(options)
  opened.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text())
  })
  opened.on("pageerror", (error) => complaints.push(error.message))
  opened.on("request", (request) => requested.push(request.url()))
  await opened.goto(`${origin}/docs`)
  return opened
}

/** The form of an operation, opened. */
const tryIt = async (operationId: string) => {
  const section = page.locator(`#${operationId}`)
  await section.locator("[data-try] > summary").click()
  return section
}

const paste = (key: string) => page.locator("#page-key").fill(key)

const sendFrom = async (operationId: string) => {
  const section = page.locator(`#${operationId}`)
  await section.getByRole("button", { name: "Send" }).click()
  await section.locator("form:not([aria-busy])").waitFor()
  const status = await section.locator("[data-status]").innerText()
  const advice = await section.locator("[data-advice]").innerText()
  const body = await section.locator("[data-body]").innerText()
  return { status, advice, body }
}

beforeAll(async () => {
  ;[browser, service] = await Promise.all([launchChromium(), startService(inMemory())])
})
afterAll(async () => {
  await browser?.close()
  await service?.stop()
})

beforeEach(async () => {
  complaints = []
  requested = []
  page = await open()
})
afterEach(async () => {
  await page.close()
  expect(requested.filter((url) => !url.startsWith("data:") && !url.startsWith(`${new URL(url).protocol}//127.0.0.1:`))).toEqual(
    [],
  )
})

describe("the page", () => {
  it("loads from its own origin only, without a complaint of the browser, within 200 kB", async () => {
    const sizeOf = async (path: string) => (await (await fetch(`${service.origin}${path}`)).arrayBuffer()).byteLength
    await page.waitForLoadState("networkidle")
    const paths = requested.filter((url) => url.startsWith("http")).map((url) => url.replace(service.origin, ""))
    expect(paths.toSorted()).toEqual(["/docs", "/docs/page.css", "/docs/page.js", "/docs/theme.js"])
    const bytes = await Promise.all(paths.map(sizeOf))
    expect(bytes.reduce((sum, size) => sum + size)).toBeLessThan(200_000)
    expect(complaints).toEqual([])
  })

  it("shows the address it was loaded from in every sample", async () => {
    const shown = await page.locator("[data-base], [data-samples] code").allTextContents()
    expect(shown.length).toBeGreaterThan(20)
    expect(shown.filter((text) => !text.includes(`${service.origin}/v1`))).toEqual([])
  })

  it("reads without scripts: operations, errors and samples are there, forms are not", async () => {
    await page.close()
    page = await open({ javaScriptEnabled: false })
    expect(await page.locator("h1").innerText()).toBe("Pet Store Inventory")
    expect(await page.locator("#error-pet_not_found").innerText()).toContain("No pet has this identifier.")
    expect(await page.locator("#listPets pre").first().isVisible()).toBe(true)
    expect(await page.locator("[data-try]").first().isVisible()).toBe(false)
  })

  it("changes its theme, and keeps the choice", async () => {
    const background = () => page.evaluate("getComputedStyle(document.body).backgroundColor")
    const before = await background()
    await page.getByRole("button", { name: "Dark theme" }).click()
    expect(await background()).not.toBe(before)
    await page.reload()
    expect(await background()).not.toBe(before)
    expect(await page.getByRole("button", { name: "Dark theme" }).getAttribute("aria-pressed")).toBe("true")
  })

  it("opens its contents on a phone by keyboard, and closes them with Escape", async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    const menu = page.getByRole("button", { name: "Contents" })
    expect(await page.locator("#contents").isVisible()).toBe(false)
    await menu.focus()
    await page.keyboard.press("Enter")
    expect(await page.locator("#contents").isVisible()).toBe(true)
    await page.keyboard.press("Escape")
    expect(await page.locator("#contents").isVisible()).toBe(false)
    expect(await page.evaluate("document.activeElement.getAttribute('aria-label')")).toBe("Contents")
  })

  it("changes the language of all samples by arrow key", async () => {
    await page.locator("#createPet [role=tab]").first().focus()
    await page.keyboard.press("ArrowRight")
    expect(await page.locator("#createPet [role=tab][aria-selected=true]").innerText()).toBe("TypeScript")
    expect(await page.locator("#listPets pre:visible").first().innerText()).toContain("createClient")
  })

  it.each(views)("has no fault that axe finds: $colorScheme, $viewport.width", async (view) => {
    await page.close()
    page = await open(view)
    await paste(service.key)
    const folded = page.locator("[data-fold]:not([open]) > summary")
    while ((await folded.count()) > 0) await folded.first().click()
    for (const operation of ["listPets", "createPet", "getPet", "createOrder"]) await tryIt(operation)
    await sendFrom("createPet")
    await page.locator("#try-getPet-petId").fill("1")
    await sendFrom("getPet")
    // A debugger's world is not bound by the page's policy, which forbids a script from elsewhere.
    await page.evaluate(axeSource)
    const found = await page.evaluate("axe.run()")
    const violations = Object(found).violations.map(({ id, nodes }: { id: string; nodes: ReadonlyArray<{ html: string }> }) => [
      id,
      ...nodes.map((node) => node.html),
    ])
    expect(violations).toEqual([])
    const width = await page.evaluate("document.documentElement.scrollWidth")
    expect(width).toBe(view.viewport.width)
    const name = `${view.colorScheme}-${view.viewport.width}`
    await page.screenshot({ path: join(screenshots, `${name}.png`), fullPage: true })
    await page.locator("#createPet").screenshot({ path: join(screenshots, `${name}-try.png`) })
  })
})

describe("on a phone", () => {
  beforeEach(async () => {
    await page.close()
    page = await open({ viewport: { width: 390, height: 844 } })
  })

  it("is folded to a few screens, and opens what one asks for", async () => {
    expect(await page.evaluate("document.documentElement.scrollHeight")).toBeLessThan(8 * 844)
    expect(await page.locator("#listPets .endpoint").isVisible()).toBe(true)
    expect(await page.locator("#listPets .columns").isVisible()).toBe(false)
    await page.locator("#listPets > details > summary").press("Enter")
    expect(await page.locator("#listPets .columns").isVisible()).toBe(true)
  })

  it("opens what a link leads to", async () => {
    await page.goto("about:blank")
    await page.goto(`${service.origin}/docs#error-pet_not_found`)
    await expect.poll(() => page.locator("#error-pet_not_found").isVisible()).toBe(true)
    const top = () => page.locator("#error-pet_not_found").evaluate((entry) => entry.getBoundingClientRect().top)
    await expect.poll(top, { timeout: 10_000 }).toBeLessThan(844)
  })
})

describe("search", () => {
  const results = () => page.locator("[data-search-results] .search-title").allInnerTexts()

  it("opens by Ctrl+K, finds operations, fields, errors and guides, and goes there by Enter", async () => {
    await page.keyboard.press("Control+k")
    await page.keyboard.type("idempotency")
    expect(await results()).toEqual(expect.arrayContaining(["Idempotency-Key", "Safe retries", "idempotency_key_reused"]))
    await page.locator("[data-search-words]").fill("categoryId")
    await page.keyboard.press("Enter")
    expect(new URL(page.url()).hash).toBe("#createPet-body-categoryId")
    expect(await page.locator("[data-search]").isVisible()).toBe(false)
  })

  it("moves by arrow keys, says when nothing is found, and closes by Escape", async () => {
    await page.getByRole("button", { name: "Search" }).click()
    await page.keyboard.press("ArrowDown")
    expect(await page.locator("[role=option][aria-selected=true]").getAttribute("id")).toBe("search-result-1")
    expect(await page.locator("[data-search-words]").getAttribute("aria-activedescendant")).toBe("search-result-1")
    await page.keyboard.type("unicorn")
    expect(await page.locator("[data-search-note]").innerText()).toBe("Nothing found for “unicorn”.")
    await page.keyboard.press("Escape")
    expect(await page.locator("[data-search]").isVisible()).toBe(false)
  })

  it("has no fault that axe finds", async () => {
    await page.keyboard.press("Control+k")
    await page.evaluate(axeSource)
    expect(Object(await page.evaluate("axe.run('[data-search]')")).violations).toEqual([])
    await page.screenshot({ path: join(screenshots, "search.png") })
  })
})

describe("the samples", () => {
  const sample = (operation: string, language: string) =>
    page.locator(`#${operation} [data-samples] [data-tab="${language}"] code`).textContent()

  it("stay in view beside a long explanation", async () => {
    await page.setViewportSize({ width: 1280, height: 900 })
    await page.locator("#listPets .answered").scrollIntoViewIfNeeded()
    const box = await page.locator("#listPets [data-samples]").boundingBox()
    expect(box?.y).toBeGreaterThanOrEqual(0)
    expect(box?.y).toBeLessThan(450)
  })

  it("take the values that one types, in every language", async () => {
    const list = await tryIt("listPets")
    expect(await sample("listPets", "curl")).toContain("/v1/pets?limit=20&status=available'")
    await list.getByLabel("limit").fill("7")
    expect(await sample("listPets", "curl")).toContain("/v1/pets?limit=7'")
    expect(await sample("listPets", "TypeScript")).toContain("petstore.listPets({ limit: 7 })")
    expect(await sample("listPets", "Python")).toContain('/v1/pets?limit=7",')
    const create = await tryIt("createPet")
    await create.getByLabel("Body", { exact: true }).fill('{"name": "It\'s me", "categoryId": 9007199254740993}')
    expect(await sample("createPet", "curl")).toContain(`-d '{"name": "It'\\''s me", "categoryId": 9007199254740993}'`)
    expect(await sample("createPet", "TypeScript")).toContain("categoryId: 9007199254740993n")
    expect(await sample("createPet", "Python")).toContain('"categoryId": 9007199254740993')
  })

  it("take the key that one types, masked like its field until one shows it", async () => {
    expect(await sample("getPet", "curl")).toContain('"Authorization: Bearer $PETSTORE_API_KEY"')
    await paste(service.key)
    expect(await sample("getPet", "curl")).toContain(`'Authorization: Bearer ${service.key}'`)
    const masking = () => page.evaluate(`getComputedStyle(document.querySelector("#getPet .sample-key")).webkitTextSecurity`)
    expect(await masking()).toBe("disc")
    await page.getByRole("button", { name: "Show", exact: true }).click()
    expect(await masking()).toBe("none")
  })
})

describe("Try it", () => {
  it("brings the answer into view", async () => {
    await page.setViewportSize({ width: 1280, height: 700 })
    await paste(service.key)
    await tryIt("createPet")
    await sendFrom("createPet")
    const inView = () =>
      page.locator("#createPet [data-status]").evaluate((line, windowHeight) => {
        const { top, bottom } = line.getBoundingClientRect()
        return top >= 0 && bottom <= windowHeight
      }, 700)
    await expect.poll(inView).toBe(true)
  })

  it("adds an animal and lists it, with integers past 2^53 to the last digit", async () => {
    await paste(service.key)
    const create = await tryIt("createPet")
    await create.getByLabel("Body", { exact: true }).fill('{"name":"Exact","categoryId":9223372036854775807,"status":"sold"}')
    const added = await sendFrom("createPet")
    expect(added.status).toMatch(/^201 Created\s+\d+ ms$/)
    expect(added.body).toMatch(
      /^\{\n {2}"id": \d+,\n {2}"name": "Exact",\n {2}"categoryId": 9223372036854775807,\n {2}"status": "sold"\n\}$/,
    )
    await create.locator("[data-headers-box] summary").click()
    expect(await create.locator("[data-headers]").innerText()).toMatch(/location\n\/v1\/pets\/\d+/)

    const list = await tryIt("listPets")
    await list.getByLabel("status").selectOption("sold")
    const listed = await sendFrom("listPets")
    expect(listed.status).toMatch(/^200 OK/)
    expect(listed.body).toContain('"categoryId": 9223372036854775807')
    expect(complaints).toEqual([])
  })

  it("sends an identifier past 2^53 as it was typed", async () => {
    await paste(service.key)
    const get = await tryIt("getPet")
    await get.getByLabel("petId").fill("9007199254740993")
    const { status, body, advice } = await sendFrom("getPet")
    expect(status).toMatch(/^404 Not Found/)
    expect(body).toContain("9007199254740993")
    expect(advice).toContain("Check the identifier")
    expect(requested).toContain(`${service.origin}/v1/pets/9007199254740993`)
  })

  it("follows the link to the next page", async () => {
    await paste(service.key)
    await tryIt("createPet")
    await sendFrom("createPet")
    await sendFrom("createPet")
    const list = await tryIt("listPets")
    await list.getByLabel("limit").fill("1")
    const first = await sendFrom("listPets")
    await list.getByRole("button", { name: "Next page" }).click()
    await expect.poll(() => list.locator("[data-body]").innerText()).not.toBe(first.body)
    expect(await list.getByLabel("cursor").inputValue()).not.toBe("")
  })

  it("keeps the key in the memory of the tab only", async () => {
    await paste(service.key)
    await tryIt("listPets")
    await sendFrom("listPets")
    const kept = await page.evaluate(
      "JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href])",
    )
    expect(kept).not.toContain(service.key)
    await page.reload()
    expect(await page.locator("#page-key").inputValue()).toBe("")
    expect(requested.filter((url) => url.includes(service.key))).toEqual([])
  })

  it("keeps the key through a reload if one asks for it, and forgets it when told", async () => {
    await paste(service.key)
    await page.getByLabel("Keep it for this tab").check()
    await page.reload()
    expect(await page.locator("#page-key").inputValue()).toBe(service.key)
    expect(await page.evaluate("JSON.stringify([{ ...localStorage }, document.cookie])")).not.toContain(service.key)
    await page.getByRole("button", { name: "Forget" }).click()
    await page.reload()
    expect(await page.locator("#page-key").inputValue()).toBe("")
  })

  it("is used by keyboard alone", async () => {
    await page.locator("#listPets [data-try] > summary").focus()
    await page.keyboard.press("Enter")
    await page.keyboard.press("Tab")
    await page.keyboard.type(service.key)
    await page.keyboard.press("Enter")
    await expect.poll(() => page.locator("#listPets [data-status]").innerText()).toMatch(/^200/)
    expect(await page.locator("#page-key").inputValue()).toBe(service.key)
  })
})

describe("what to do next", () => {
  const adviceFor = async (key: string): Promise<string> => {
    await paste(key)
    await tryIt("listPets")
    return (await sendFrom("listPets")).advice
  }

  it("is told without a key", async () => {
    expect(await adviceFor("")).toContain("Paste your API key into the field above")
  })

  it("is told for a mistyped key", async () => {
    expect(await adviceFor(`${service.key.slice(0, -1)}_`)).toContain("Paste the whole key: pst_dev_ and 38 letters and digits")
    const altered = service.key.slice(0, -1) + (service.key.endsWith("0") ? "1" : "0")
    await paste(altered)
    expect((await sendFrom("listPets")).advice).toContain("Part of the key is missing or mistyped.")
  })

  it("is told for a dropped network", async () => {
    const leaving = await startService(inMemory())
    await page.close()
    page = await open({}, leaving.origin)
    await leaving.kill()
    expect(await adviceFor(leaving.key)).toContain("No answer came: the connection dropped, or the service is down.")
  })

  it("is told when the device is offline, and what that means for an addition", async () => {
    await paste(service.key)
    await tryIt("createPet")
    await page.context().setOffline(true)
    const { advice } = await sendFrom("createPet")
    expect(advice).toContain("Your device is offline.")
    expect(advice).toContain("It may have been added all the same")
  })

  it("is told for a 500, with the request id to report", async () => {
    const failing = await startFailingService(1_000)
    try {
      await page.close()
      page = await open({}, failing.baseUrl.origin)
      failing.become("catalogue broken")
      expect(await adviceFor(await failing.makeKey())).toMatch(
        /^Try again once\. If it happens again, report .* The request id to report is [0-9a-f]{16}-[0-9]+\./,
      )
    } finally {
      await failing.stop()
    }
  })

  it("is told for an answer that is not the service's", async () => {
    await page.route("**/v1/**", (route) => route.fulfill({ status: 502, body: "<h1>Bad Gateway</h1>" }))
    expect(await adviceFor(service.key)).toContain("a proxy or a gateway in between wrote it")
  })

  it("leads to the error code", async () => {
    await adviceFor("")
    await page.locator("#listPets [data-advice] a").click()
    expect(new URL(page.url()).hash).toBe("#error-missing_credential")
    const top = () => page.locator("#error-missing_credential").evaluate((entry) => entry.getBoundingClientRect().top)
    await expect.poll(top, { timeout: 10_000 }).toBeLessThan(900)
  })

  it("is told for a key that expired", async () => {
    const store = new TemporaryStore()
    await petstore(store.environment, "accounts", "create", "late")
    const { key, expiresAt } = await createKey(store.environment, "late", "--expires-in", "1s")
    const serving = await startService(store.environment)
    try {
      await page.close()
      page = await open({}, new URL(serving.baseUrl).origin)
      await until(expiresAt ?? new Date())
      expect(await adviceFor(key)).toContain(
        "it expired, was revoked, or was never made here. Ask whoever runs the service for a new one",
      )
    } finally {
      await serving.stop()
      store.remove()
    }
  })

  it("is told for a key of staging on production", async () => {
    const store = new TemporaryStore()
    const production = await startService({ ...store.environment, PETSTORE_ENV: "production" })
    try {
      await page.close()
      page = await open({}, production.origin)
      expect(await adviceFor("pst_test_0000000000000000000000000000000000AAAA")).toContain(
        "This is a key of staging, and this page talks to production. Paste a key that begins with pst_live_",
      )
    } finally {
      await production.stop()
      store.remove()
    }
  })

  it("is told for a 429", async () => {
    const limited = await startService(inMemory({ RATE_LIMIT: "1" }))
    try {
      await page.close()
      page = await open({}, limited.origin)
      expect(await adviceFor(limited.key)).toBe("")
      const { status, advice } = await sendFrom("listPets")
      expect(status).toMatch(/^429 Too Many Requests/)
      expect(advice).toMatch(/^The key has used up its requests for now. Wait \d+ seconds?, then send the request again\./)
    } finally {
      await limited.stop()
    }
  })
})
