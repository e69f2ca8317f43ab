/** `npm run fuzz`: a service must respond to any input as its contract specifies. */
import { TemporaryStore } from "@petstore/harness/command"
import { type Given, runTool, say, text, WrongUsage, wholeNumber } from "@petstore/harness/command-line"
import { startService } from "@petstore/harness/serving"
import { fuzz } from "./fuzz.ts"
import { storeMain, storeOptions, storeUsage } from "./store-command.ts"

const usage = `usage: npm run fuzz -- [--requests N] [--seed S] [--base-url URL --key KEY], or npm run fuzz -- store --help

Sends generated requests: valid, invalid and malformed ones. Each must get a response that conforms to the contract and is not a 5xx.
Without --base-url, starts the built service on its own store. With --base-url, creates pets in the service at that URL.

  --requests N   the number of requests (default: 20000)
  --seed S       the same seed sends the same requests (default: random, and printed)

Exit code 0: every response was correct; 1: a response was wrong, and the smallest request that causes it is printed; 2: incorrect usage.
`

const run = async (baseUrl: string, key: string, requests: number, seed: number): Promise<number> => {
  say(`seed ${seed}`)
  const startedAt = performance.now()
  let told = 0
  const { sent, failure } = await fuzz({ baseUrl, key, requests, seed }, (soFar) => {
    if (soFar - told < 50_000) return
    told = soFar
    say(`${soFar} requests`)
  })
  const seconds = (performance.now() - startedAt) / 1000
  if (failure !== undefined) say(`wrong response: ${failure.reason}\n\n${failure.command}\n`)
  say(`${sent} requests, ${failure === undefined ? "no" : "a"} wrong response, ${Math.round(sent / seconds)} requests per second`)
  return failure === undefined ? 0 : 1
}

const runOnOwnService = async (requests: number, seed: number): Promise<number> => {
  using store = new TemporaryStore()
  await using serving = await startService({ ...store.environment, LOG_LEVEL: "fatal" })
  return await run(serving.baseUrl, serving.key, requests, seed)
}

const main = async (given: Given<typeof options>): Promise<number> => {
  const requests = wholeNumber("requests", given.requests, 20_000)
  const seed = wholeNumber("seed", given.seed, Math.floor(Math.random() * 2 ** 31))
  const baseUrl = given["base-url"]
  if (baseUrl === undefined) return runOnOwnService(requests, seed)
  if (given.key === undefined || URL.parse(baseUrl) === null) throw new WrongUsage("--base-url must be a URL, and requires --key")
  return run(baseUrl, given.key, requests, seed)
}

const options = { requests: text, seed: text, "base-url": text, key: text } as const

const [first, ...others] = process.argv.slice(2)
if (first === "store") await runTool(storeUsage, storeOptions, storeMain, others)
else await runTool(usage, options, main)
