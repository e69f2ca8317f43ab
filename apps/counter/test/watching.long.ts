/** The store page hears of changes from a request that waits. */
import { createClient } from "@petstore/client"
import { createKey, petstore, TemporaryStore } from "@petstore/harness/command"
import { startService } from "@petstore/harness/serving"
import { describe, expect, it } from "vitest"
import { declareShop } from "./shop.ts"

const shop = declareShop()
const { counter, signIn, made } = shop

const sleep = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

describe("watching", () => {
  it("has one waiting request while nothing changes, and shows another clerk's change within a second", async () => {
    const requested: Array<string> = []
    counter.page.on("request", (request) => requested.push(request.url()))
    await signIn()
    await expect.poll(() => requested.filter((url) => url.includes("wait=25"))).toHaveLength(1)
    const before = requested.length
    await sleep(5_000)
    expect(requested.length - before).toBeLessThanOrEqual(1)
    // A first animal shows at once, and would take others of the same moment with it. Later ones wait behind a button.
    await made("First in the list")
    await counter.page.getByText("First in the list").first().waitFor()
    await counter.page.evaluate(`
      window.shownAt = {}
      new MutationObserver(() => {
        const text = document.querySelector("[data-arrivals]")?.textContent
        window.shownAt[text] ??= Date.now()
      }).observe(document.body, { childList: true, subtree: true, characterData: true })`)
    const delays: Array<number> = []
    for (let round = 1; round <= 5; round += 1) {
      await made(`Round ${round}`)
      const madeAt = Date.now()
      const shownAt = () => counter.page.evaluate(`window.shownAt["${round} new ${round === 1 ? "animal" : "animals"}: show"]`)
      await expect.poll(shownAt).toBeDefined()
      delays.push(Number(await shownAt()) - madeAt)
    }
    // A busy machine may delay one round.
    expect(delays.toSorted((one, other) => one - other)[2]).toBeLessThan(1_000)
  })

  it("lets two idle tabs of one key work under a limit of 60 requests a minute", async () => {
    using store = new TemporaryStore()
    await petstore(store.environment, "accounts", "create", "counter")
    const { key } = await createKey(store.environment, "counter")
    const serving = await startService({ ...store.environment, RATE_LIMIT: "60" })
    const origin = new URL(serving.baseUrl).origin
    const client = createClient({ baseUrl: `${origin}/v1`, apiKey: key })
    await client.createPet({ name: "Idle", categoryId: 1n })
    const context = await counter.page.context().browser()?.newContext()
    const refused: Array<number> = []
    const tabs = [await context?.newPage(), await context?.newPage()]
    for (const tab of tabs) {
      tab?.on("response", (response) => response.status() === 429 && refused.push(429))
      await tab?.goto(`${origin}/store`)
      // The second tab takes the key of the first.
      if (tab === tabs[0]) await signIn(tab, key)
      await tab?.locator("[data-rows] tr").first().waitFor()
    }
    await sleep(30_000)
    expect(refused).toEqual([])
    await context?.close()
    await serving.stop()
  })
})
