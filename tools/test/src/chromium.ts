/** Starts a real Chromium for the tests named `*-browser.long.ts`. */
import { accessSync, constants } from "node:fs"
import axe from "axe-core"
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest"

export type { Browser, BrowserContextOptions, Page } from "playwright-core"

/** Returns the accessibility violations that axe finds in the part of a page that a selector names. */
export const violationsOf = async (page: Page, selector = "html"): Promise<ReadonlyArray<unknown>> => {
  // Code that runs through the debugger is not bound by the page's policy, which forbids scripts from other origins.
  await page.evaluate(axe.source)
  const { violations } = Object(await page.evaluate(`axe.run(${JSON.stringify(selector)})`))
  return violations.map(({ id, nodes }: { id: string; nodes: ReadonlyArray<{ html: string }> }) => [
    id,
    ...nodes.map(({ html }) => html),
  ])
}

/** With these flags, the browser does not use the network on its own, and needs neither a graphics card nor a kernel feature. */
const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
]

/** Starts a headless Chromium (`CHROMIUM` or Debian's), which the caller closes. Fails if it is missing: no test is skipped. */
export const launchChromium = (): Promise<Browser> => {
  // biome-ignore lint/style/noProcessEnv: the only setting of the browser tests
  const executablePath = process.env["CHROMIUM"] ?? "/usr/bin/chromium"
  try {
    accessSync(executablePath, constants.X_OK)
  } catch (cause) {
    throw new Error(`There is no Chromium at ${executablePath}: run apt-get install chromium, or set CHROMIUM to its path.`, {
      cause,
    })
  }
  return chromium.launch({ executablePath, headless: true, args: flags })
}

/** How long a test waits until a page shows something, in ms, on a machine that is busy with other tests. */
const pageMillis = 60_000

/** The messages from the pages in a test. */
export interface Heard {
  /** Console errors and warnings, and exceptions from scripts. */
  readonly complaints: Array<string>
  readonly requested: Array<string>
}

/** Opens a page without smooth scrolling. */
const openPage = async (
  browser: Browser,
  address: string,
  { complaints, requested }: Heard,
  options: BrowserContextOptions = {},
): Promise<Page> => {
  const page = await browser.newPage({ reducedMotion: "reduce", ...options })
  page.setDefaultTimeout(pageMillis)
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text())
  })
  page.on("pageerror", (error) => complaints.push(error.message))
  page.on("request", (request) => requested.push(request.url()))
  await page.goto(address)
  return page
}

/**
 * Gives each test in a file its own page, and checks that the page contacts no other machine.
 *
 * @param start    starts the page's server; called only once
 * @param address  the page's address
 */
export const declarePages = (start: () => Promise<void>, address: () => string) => {
  let browser: Browser
  let page: Page
  let heard: Heard
  beforeAll(async () => {
    ;[browser] = await Promise.all([launchChromium(), start()])
  })
  afterAll(() => browser?.close())
  beforeEach(async () => {
    heard = { complaints: [], requested: [] }
    page = await openPage(browser, address(), heard)
  })
  afterEach(async () => {
    await page.close()
    const isElsewhere = (url: string): boolean =>
      !url.startsWith("data:") && !url.startsWith(`${new URL(url).protocol}//127.0.0.1:`)
    expect(heard.requested.filter(isElsewhere)).toEqual([])
  })
  return {
    get page(): Page {
      return page
    },
    get heard(): Heard {
      return heard
    },
    /** Closes the page, then opens it again with other options, or opens another page. */
    reopen: async (options: BrowserContextOptions = {}, other = address()): Promise<void> => {
      await page.close()
      page = await openPage(browser, other, heard, options)
    },
  }
}
