/** The advice that the docs page shows after a request, in a real Chromium. */
import { declareDocsPage } from "@petstore/docs/testing"
import { createKey, environmentIn, inMemory, petstore, until } from "@petstore/harness/command"
import { serve, temporaryFolder } from "@petstore/harness/testing"
import { describe, expect, it, onTestFinished } from "vitest"
import { startFailingService } from "../../failing-service.js"

const docs = declareDocsPage()

describe("the advice", () => {
  const adviceFor = async (key: string): Promise<string> => {
    await docs.paste(key)
    await docs.tryIt("listPets")
    return (await docs.sendFrom("listPets")).advice
  }

  it("appears if there is no key", async () => {
    expect(await adviceFor("")).toContain("Paste your API key into the field above")
  })

  it("appears for a mistyped key", async () => {
    expect(await adviceFor(`${docs.service.key.slice(0, -1)}_`)).toContain(
      "Paste the whole key: pst_dev_ followed by 38 letters and digits",
    )
    const altered = docs.service.key.slice(0, -1) + (docs.service.key.endsWith("0") ? "1" : "0")
    await docs.paste(altered)
    expect((await docs.sendFrom("listPets")).advice).toContain("Part of the key is missing or mistyped.")
  })

  it("appears for a dropped connection", async () => {
    const leaving = await serve(inMemory())
    await docs.reopen({}, leaving.origin)
    await leaving.kill()
    expect(await adviceFor(leaving.key)).toContain("No response: the connection dropped, or the service is down.")
  })

  it("appears if the device is offline, and says whether the pet may have been added", async () => {
    await docs.paste(docs.service.key)
    await docs.tryIt("createPet")
    await docs.page.context().setOffline(true)
    const { advice } = await docs.sendFrom("createPet")
    expect(advice).toContain("Your device is offline.")
    expect(advice).toContain("It may have been added anyway")
  })

  it("appears for a 500, with the request id to report", async () => {
    const failing = await startFailingService(1_000)
    onTestFinished(failing.stop)
    await docs.reopen({}, failing.baseUrl.origin)
    failing.become("catalogue broken")
    expect(await adviceFor(await failing.makeKey())).toMatch(
      /^Try again once\. If it happens again, report .* The request id to report is [0-9a-f]{16}-[0-9]+\./,
    )
  })

  it("appears for a response from another program", async () => {
    await docs.page.route("**/v1/**", (route) => route.fulfill({ status: 502, body: "<h1>Bad Gateway</h1>" }))
    expect(await adviceFor(docs.service.key)).toContain("a proxy or a gateway in between sent it")
  })

  it("links to the error code's explanation", async () => {
    await adviceFor("")
    await docs.page.locator("#listPets [data-advice] a").click()
    await expect.poll(docs.hash).toBe("#error-missing_credential")
    const top = () => docs.page.locator("#error-missing_credential").evaluate((entry) => entry.getBoundingClientRect().top)
    await expect.poll(top).toBeLessThan(900)
  })

  it("appears for an expired key", async () => {
    const environment = environmentIn(temporaryFolder(), { LOG_LEVEL: "silent" })
    await petstore(environment, "accounts", "create", "late")
    const { key, expiresAt } = await createKey(environment, "late", "--expires-in", "1s")
    const { origin } = await serve(environment)
    await docs.reopen({}, origin)
    await until(expiresAt ?? new Date())
    expect(await adviceFor(key)).toContain(
      "it has expired, was revoked, or was never created here. Ask the service's operator for a new key",
    )
  })

  it("appears for a staging key on production", async () => {
    const production = await serve(environmentIn(temporaryFolder(), { PETSTORE_ENV: "production", LOG_LEVEL: "silent" }))
    await docs.reopen({}, production.origin)
    expect(await adviceFor("pst_test_0000000000000000000000000000000000AAAA")).toContain(
      "This key is for staging, but this page calls production. Paste a key that begins with pst_live_",
    )
  })

  it("appears for a 429", async () => {
    const limited = await serve(inMemory({ RATE_LIMIT: "1" }))
    await docs.reopen({}, limited.origin)
    expect(await adviceFor(limited.key)).toBe("")
    const { status, advice } = await docs.sendFrom("listPets")
    expect(status).toMatch(/^429 Too Many Requests/)
    expect(advice).toMatch(/^The key has used up its requests for now. Wait \d+ seconds?, then send the request again\./)
  })
})
