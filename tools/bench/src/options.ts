import { flag, type Given, text } from "@petstore/harness/command-line"

export const options = {
  ...{ store: text, quick: flag, rounds: text, seconds: text, catalogue: text, only: text, peers: text, before: text },
  ...{ json: text, picture: text, sizes: text, workers: text, workload: text, animals: text, "fsync-millis": text },
} as const

export type Options = Given<typeof options>
