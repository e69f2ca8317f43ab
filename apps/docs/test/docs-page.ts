/** A service's docs page in a real Chromium, as readers see it, for the tests named `*-browser.long.ts`. */
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inMemory } from "@petstore/harness/command"
import { type Service, startService } from "@petstore/harness/serving"
import { type BrowserContextOptions, declarePages } from "@petstore/test/chromium"
import { afterAll } from "vitest"

/** The folder for screenshots that people can look at afterwards. Tests do not compare them. */
export const screenshots = join(tmpdir(), "petstore-docs-screenshots")

/** Gives every test in a file a newly opened page of one service. */
export const declareDocsPage = () => {
  let service: Service
  const start = async (): Promise<void> => {
    service = await startService(inMemory())
  }
  const addressOf = (origin: string): string => `${origin}/docs`
  const pages = declarePages(start, () => addressOf(service.origin))
  afterAll(() => service?.stop())

  return {
    get service() {
      return service
    },
    get page() {
      return pages.page
    },
    get heard() {
      return pages.heard
    },
    /** Closes the page, and opens it again with other options or from another service. */
    reopen: (options?: BrowserContextOptions, origin = service.origin): Promise<void> => pages.reopen(options, addressOf(origin)),
    /** Opens an operation's form, and returns it. */
    tryIt: async (operationId: string) => {
      const section = pages.page.locator(`#${operationId}`)
      await section.locator("[data-try] > summary").click()
      return section
    },
    paste: (key: string): Promise<void> => pages.page.locator("#page-key").fill(key),
    /** Sends a form, and returns the response that the page shows. */
    sendFrom: async (operationId: string) => {
      const section = pages.page.locator(`#${operationId}`)
      await section.getByRole("button", { name: "Send" }).click()
      await section.locator("form:not([aria-busy])").waitFor()
      const status = await section.locator("[data-status]").innerText()
      const advice = await section.locator("[data-advice]").innerText()
      const body = await section.locator("[data-body]").innerText()
      return { status, advice, body }
    },
    hash: (): string => new URL(pages.page.url()).hash,
  }
}
