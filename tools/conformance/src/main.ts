/** The specification as an executable: `npm run conformance -- --base-url URL --key KEY`. */
import { flag, type Given, runTool, say, text, texts, WrongUsage } from "@petstore/harness/command-line"
import { attempt, type Outcome, type Target } from "./outcome.ts"
import { isPartOf } from "./sentence.ts"
import { specification } from "./specification.ts"
import { suite } from "./suite.ts"
import { untestable } from "./untestable.ts"

const usage = `usage: npm run conformance -- --base-url URL --key KEY [options]

Tests every numbered sentence of docs/specification.md against a service.

  --base-url URL          the service's base address, which ends in /v1
  --key KEY               a valid API key
  --write                 also test the sentences that create pets; otherwise the catalogue is left unchanged
  --only NUMBER           only this sentence or section (4.1.3, 4.1, 4); may be repeated
  --second-key KEY        a valid key for a different account; the run may use up its rate limit
  --revoked-key KEY       a revoked key
  --expired-key KEY       an expired key
  --disabled-key KEY      a key of a disabled account
  --read-only-key KEY     a read-only key
  --quickstart-url URL    the quickstart's address, without /messages
  --origin ORIGIN         an origin that the deployment allows (CORS)
  --patient               wait for the service's time limits (takes about a minute)

Prints one line for each sentence: pass, fail (with the exchange that shows the failure) or not tested (with the reason).
Exit code 0: nothing failed; 1: something failed; 2: incorrect usage.
`

const options = {
  "base-url": text,
  key: text,
  write: flag,
  only: texts,
  "second-key": text,
  "revoked-key": text,
  "expired-key": text,
  "disabled-key": text,
  "read-only-key": text,
  "quickstart-url": text,
  origin: text,
  patient: flag,
} as const

const decodeArguments = (given: Given<typeof options>) => {
  const only = given.only ?? []
  const known = specification().map(({ number }) => number)
  for (const part of only) {
    if (!known.some((number) => isPartOf(number, [part])))
      throw new WrongUsage(`--only: ${part} is neither a sentence nor a section`)
  }
  if (given.key === undefined || !/^[\x21-\x7e]+$/.test(given.key)) throw new WrongUsage("--key: expected an API key")
  const baseUrl = httpUrl("--base-url", given["base-url"]).replace(/\/$/, "")
  if (!new URL(baseUrl).pathname.endsWith("/v1"))
    throw new WrongUsage(`--base-url: expected a URL that ends in /v1, got ${baseUrl}`)
  const quickstart = given["quickstart-url"]
  const target: Target = {
    baseUrl,
    key: given.key,
    write: given.write ?? false,
    given: {
      secondKey: given["second-key"],
      revokedKey: given["revoked-key"],
      expiredKey: given["expired-key"],
      disabledKey: given["disabled-key"],
      readOnlyKey: given["read-only-key"],
      quickstartUrl: quickstart === undefined ? undefined : httpUrl("--quickstart-url", quickstart),
      origin: given.origin,
      patient: given.patient,
    },
  }
  return { only, target }
}

const httpUrl = (option: string, value: string | undefined): string => {
  const url = value === undefined ? null : URL.parse(value)
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new WrongUsage(`${option}: expected an http or https URL, got ${value ?? "nothing"}`)
  return url.href
}

const describeOutcome = (outcome: Outcome): string => {
  if (outcome.kind === "pass") return ""
  const lines = outcome.kind === "fail" ? `${outcome.reason}\n${outcome.exchange}` : outcome.reason
  return `\n${lines.replace(/^/gm, "             ")}`
}

const run = async (given: Given<typeof options>): Promise<number> => {
  const { target, only } = decodeArguments(given)
  const count = { pass: 0, fail: 0, "not tested": 0 }
  for (const { number, source, text: stated } of specification()) {
    if (only.length > 0 && !isPartOf(number, only)) continue
    const sentence = suite.find((candidate) => candidate.number === number)
    const outcome: Outcome =
      sentence === undefined ? { kind: "not tested", reason: untestable[number] ?? "no test" } : await attempt(sentence, target)
    count[outcome.kind] += 1
    say(`${outcome.kind.padEnd(10)} ${source} ${number.padEnd(6)} ${stated}${describeOutcome(outcome)}`)
  }
  say(`${count.pass} passed, ${count.fail} failed, ${count["not tested"]} not tested`)
  return count.fail === 0 ? 0 : 1
}

await runTool(usage, options, run)
