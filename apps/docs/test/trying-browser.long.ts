/** The docs page in a real Chromium: the samples, and a reader's requests and responses. */
import { describe, expect, it } from "vitest"
import { declareDocsPage } from "./docs-page.ts"

const docs = declareDocsPage()

describe("the samples", () => {
  const sample = (operation: string, language: string) =>
    docs.page.locator(`#${operation} [data-samples] [data-tab="${language}"] code`).textContent()

  it("stay in view next to a long explanation", async () => {
    await docs.page.setViewportSize({ width: 1280, height: 900 })
    await docs.page.locator("#listPets .answered").scrollIntoViewIfNeeded()
    const box = await docs.page.locator("#listPets [data-samples]").boundingBox()
    expect(box?.y).toBeGreaterThanOrEqual(0)
    expect(box?.y).toBeLessThan(450)
  })

  it("show the reader's input in every language", async () => {
    const list = await docs.tryIt("listPets")
    expect(await sample("listPets", "curl")).toContain("/v1/pets?limit=20&status=available'")
    await list.getByLabel("limit").fill("7")
    expect(await sample("listPets", "curl")).toContain("/v1/pets?limit=7'")
    expect(await sample("listPets", "TypeScript")).toContain("petstore.listPets({ limit: 7 })")
    expect(await sample("listPets", "Python")).toContain('/v1/pets?limit=7",')
    const create = await docs.tryIt("createPet")
    await create.getByLabel("Body", { exact: true }).fill('{"name": "It\'s me", "categoryId": 9007199254740993}')
    expect(await sample("createPet", "curl")).toContain(`-d '{"name": "It'\\''s me", "categoryId": 9007199254740993}'`)
    expect(await sample("createPet", "TypeScript")).toContain("categoryId: 9007199254740993n")
    expect(await sample("createPet", "Python")).toContain('"categoryId": 9007199254740993')
  })

  it("show the key that the reader types, masked until the reader reveals it", async () => {
    expect(await sample("getPet", "curl")).toContain('"Authorization: Bearer $PETSTORE_API_KEY"')
    await docs.paste(docs.service.key)
    expect(await sample("getPet", "curl")).toContain(`'Authorization: Bearer ${docs.service.key}'`)
    const masking = () => docs.page.evaluate(`getComputedStyle(document.querySelector("#getPet .sample-key")).webkitTextSecurity`)
    expect(await masking()).toBe("disc")
    await docs.page.getByRole("button", { name: "Show", exact: true }).click()
    expect(await masking()).toBe("none")
  })
})

describe("Try it", () => {
  it("scrolls with the page, without a scroll bar of its own", async () => {
    await docs.page.setViewportSize({ width: 1440, height: 900 })
    await docs.tryIt("createPet")
    const hidden = await docs.page
      .locator("#createPet .shown")
      .evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)
    expect(hidden).toBe(0)
  })

  it("offers the values of an enumeration", async () => {
    expect(await docs.page.locator("#try-listPets-order option").allTextContents()).toEqual(["any", "asc", "desc"])
    expect(await docs.page.locator("#listPets-order .field-type").textContent()).toBe("asc | desc")
  })

  it("asks before it changes a production store, and sends nothing until then", async () => {
    await docs.page.route("**/docs", async (route) => {
      const response = await route.fetch()
      const body = (await response.text()).replace('data-deployment="development"', 'data-deployment="production"')
      await route.fulfill({ response, body })
    })
    await docs.page.reload()
    await docs.paste(docs.service.key)
    const create = await docs.tryIt("createPet")
    const asked = await docs.sendFrom("createPet")
    expect([asked.status, asked.advice]).toEqual(["", expect.stringContaining("changes the real store")])
    await create.getByLabel("Body", { exact: true }).fill('{"name":"Rex","categoryId":7}')
    expect((await docs.sendFrom("createPet")).status).toBe("")
    expect(docs.heard.requested.filter((url) => url.endsWith("/v1/pets"))).toEqual([])
    await create.getByRole("button", { name: "Change the real store" }).click()
    await expect.poll(() => create.locator("[data-status]").innerText()).toMatch(/^201/)
    await docs.tryIt("getInventory")
    expect((await docs.sendFrom("getInventory")).status).toMatch(/^200/)
  })

  it("brings the response into view", async () => {
    await docs.page.setViewportSize({ width: 1280, height: 700 })
    await docs.paste(docs.service.key)
    await docs.tryIt("createPet")
    await docs.sendFrom("createPet")
    const inView = () =>
      docs.page.locator("#createPet [data-status]").evaluate((line, windowHeight) => {
        const { top, bottom } = line.getBoundingClientRect()
        return top >= 0 && bottom <= windowHeight
      }, 700)
    await expect.poll(inView).toBe(true)
  })

  it("adds and lists an animal with all digits of integers above 2^53", async () => {
    await docs.paste(docs.service.key)
    const create = await docs.tryIt("createPet")
    await create.getByLabel("Body", { exact: true }).fill('{"name":"Exact","categoryId":9223372036854775807,"status":"sold"}')
    const added = await docs.sendFrom("createPet")
    expect(added.status).toMatch(/^201 Created\s+\d+ ms$/)
    expect(added.body).toMatch(
      /^\{\n {2}"id": \d+,\n {2}"name": "Exact",\n {2}"categoryId": 9223372036854775807,\n {2}"status": "sold"\n\}$/,
    )
    await create.locator("[data-headers-box] summary").click()
    expect(await create.locator("[data-headers]").innerText()).toMatch(/location\n\/v1\/pets\/\d+/)

    const list = await docs.tryIt("listPets")
    await list.getByLabel("status", { exact: true }).selectOption("sold")
    const listed = await docs.sendFrom("listPets")
    expect(listed.status).toMatch(/^200 OK/)
    expect(listed.body).toContain('"categoryId": 9223372036854775807')
    expect(docs.heard.complaints).toEqual([])
  })

  it("sends an identifier above 2^53 exactly as the reader typed it", async () => {
    await docs.paste(docs.service.key)
    const get = await docs.tryIt("getPet")
    await get.getByLabel("petId").fill("9007199254740993")
    const { status, body, advice } = await docs.sendFrom("getPet")
    expect(status).toMatch(/^404 Not Found/)
    expect(body).toContain("9007199254740993")
    expect(advice).toContain("Check the identifier")
    expect(docs.heard.requested).toContain(`${docs.service.origin}/v1/pets/9007199254740993`)
  })

  it("follows the link to the next page", async () => {
    await docs.paste(docs.service.key)
    await docs.tryIt("createPet")
    await docs.sendFrom("createPet")
    await docs.sendFrom("createPet")
    const list = await docs.tryIt("listPets")
    await list.getByLabel("limit").fill("1")
    const first = await docs.sendFrom("listPets")
    await list.getByRole("button", { name: "Next page" }).click()
    await expect.poll(() => list.locator("[data-body]").innerText()).not.toBe(first.body)
    expect(await list.getByLabel("cursor").inputValue()).not.toBe("")
  })

  it("keeps the key only in the tab's memory", async () => {
    await docs.paste(docs.service.key)
    await docs.tryIt("listPets")
    await docs.sendFrom("listPets")
    const kept = await docs.page.evaluate(
      "JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href])",
    )
    expect(kept).not.toContain(docs.service.key)
    await docs.page.reload()
    expect(await docs.page.locator("#page-key").inputValue()).toBe("")
    expect(docs.heard.requested.filter((url) => url.includes(docs.service.key))).toEqual([])
  })

  it("keeps the key after a reload if the reader chooses that, until the reader clicks Forget", async () => {
    await docs.paste(docs.service.key)
    await docs.page.getByLabel("Keep it for this tab").check()
    await docs.page.reload()
    expect(await docs.page.locator("#page-key").inputValue()).toBe(docs.service.key)
    expect(await docs.page.evaluate("JSON.stringify([{ ...localStorage }, document.cookie])")).not.toContain(docs.service.key)
    await docs.page.getByRole("button", { name: "Forget" }).click()
    await docs.page.reload()
    expect(await docs.page.locator("#page-key").inputValue()).toBe("")
  })

  it("can be used with the keyboard alone", async () => {
    await docs.page.locator("#listPets [data-try] > summary").focus()
    await docs.page.keyboard.press("Enter")
    await docs.page.keyboard.press("Tab")
    await docs.page.keyboard.type(docs.service.key)
    await docs.page.keyboard.press("Enter")
    await expect.poll(() => docs.page.locator("#listPets [data-status]").innerText()).toMatch(/^200/)
    expect(await docs.page.locator("#page-key").inputValue()).toBe(docs.service.key)
  })
})
