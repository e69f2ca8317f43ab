/** The docs page of a service in a real Chromium, as a reader has it, for the tests named `docs-*-browser.long.ts`. */
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inMemory } from "@petstore/harness/command"
import { type Service, startService } from "@petstore/harness/serving"
import {
  type Browser,
  type BrowserContextOptions,
  type Heard,
  launchChromium,
  openPage,
  type Page,
} from "@petstore/test/chromium"
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest"

/** A place to look at them afterwards: they are not compared, people look at them. */
export const screenshots = join(tmpdir(), "petstore-docs-screenshots")

/** Declares that each test of a file has the page of one service, opened anew, and that it asked for nothing from elsewhere. */
export const declareDocsPage = () => {
  let browser: Browser
  let service: Service
  let page: Page
  let heard: Heard
  const open = (options: BrowserContextOptions = {}, origin = service.origin): Promise<Page> =>
    openPage(browser, `${origin}/docs`, heard, options)

  beforeAll(async () => {
    ;[browser, service] = await Promise.all([launchChromium(), startService(inMemory())])
  })
  afterAll(async () => {
    await browser?.close()
    await service?.stop()
  })

  beforeEach(async () => {
    heard = { complaints: [], requested: [] }
    page = await open()
  })
  afterEach(async () => {
    await page.close()
    const isElsewhere = (url: string): boolean =>
      !url.startsWith("data:") && !url.startsWith(`${new URL(url).protocol}//127.0.0.1:`)
    expect(heard.requested.filter(isElsewhere)).toEqual([])
  })

  return {
    get service() {
      return service
    },
    get page() {
      return page
    },
    /** What the pages of this test said. */
    get heard(): Heard {
      return heard
    },
    /** Closes the page, and opens it otherwise, or that of another service. */
    reopen: async (...how: Parameters<typeof open>): Promise<void> => {
      await page.close()
      page = await open(...how)
    },
    /** The form of an operation, opened. */
    tryIt: async (operationId: string) => {
      const section = page.locator(`#${operationId}`)
      await section.locator("[data-try] > summary").click()
      return section
    },
    paste: (key: string): Promise<void> => page.locator("#page-key").fill(key),
    /** Sends what a form holds, and gives what is shown of the answer. */
    sendFrom: async (operationId: string) => {
      const section = page.locator(`#${operationId}`)
      await section.getByRole("button", { name: "Send" }).click()
      await section.locator("form:not([aria-busy])").waitFor()
      const status = await section.locator("[data-status]").innerText()
      const advice = await section.locator("[data-advice]").innerText()
      const body = await section.locator("[data-body]").innerText()
      return { status, advice, body }
    },
    /** The part of its address behind `#`. */
    hash: (): string => new URL(page.url()).hash,
  }
}
