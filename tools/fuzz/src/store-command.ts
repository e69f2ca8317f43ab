/** `npm run fuzz -- store`: after every change, the service must agree with a model of the store. */
import { createKey, petstore, TemporaryStore } from "@petstore/harness/command"
import { type Given, say, text, wholeNumber } from "@petstore/harness/command-line"
import { startService } from "@petstore/harness/serving"
import { fuzzStore } from "./store-fuzz.ts"

export const storeUsage = `usage: npm run fuzz -- store [--sequences N] [--seed S] [--database-url URL]

Runs sequences of changes against the built service: pets are created, corrected, ordered, removed and restored, orders are closed,
returned and noted, categories are named, and the feed of changes is read.
Some conditions hold and some do not, and some requests use a read-only key. A model of the store predicts each response, and what every list
shows afterwards.

  --sequences N      the number of sequences (default: 300)
  --seed S           the same seed runs the same sequences (default: random, and printed)
  --database-url URL an empty store (default: a new SQLite file)

Exit code 0: the service and the model agree; 1: they do not, and the smallest failing sequence is printed; 2: incorrect usage.
`

export const storeOptions = { sequences: text, seed: text, "database-url": text } as const

/** Runs sequences against the built service on an empty store. Returns the failures. */
export const fuzzOwnStore = async (
  sequences: number,
  seed: number,
  settings: Readonly<Record<string, string>>,
): Promise<string | undefined> => {
  using store = new TemporaryStore()
  const environment = { ...store.environment, LOG_LEVEL: "fatal", ...settings }
  await petstore(environment, "accounts", "create", "fuzz")
  const { key } = await createKey(environment, "fuzz")
  const { key: readOnlyKey } = await createKey(environment, "fuzz", "--read-only")
  await using serving = await startService(environment)
  return await fuzzStore({ baseUrl: serving.baseUrl, key, readOnlyKey, sequences, seed })
}

export const storeMain = async (given: Given<typeof storeOptions>): Promise<number> => {
  const sequences = wholeNumber("sequences", given.sequences, 300)
  const seed = wholeNumber("seed", given.seed, Math.floor(Math.random() * 2 ** 31))
  const databaseUrl = given["database-url"]
  say(`seed ${seed}`)
  const failure = await fuzzOwnStore(sequences, seed, databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl })
  say(failure ?? `${sequences} sequences: the service agrees with the model`)
  return failure === undefined ? 0 : 1
}
