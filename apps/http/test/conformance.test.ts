/** Tests every specification sentence that a client can verify against the built service with default settings. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { startService } from "@petstore/harness/serving"
import { expect, it } from "vitest"
import { declareEverySentence } from "./conformance-target.js"

let log = ""

declareEverySentence("the service", ({ directory, environment }) => {
  const { LOG_LEVEL: _silent, ...settings } = environment
  log = join(directory, "log")
  return startService(settings, { output: log })
})

it("the service logs the suite's requests to a file, without warnings or errors", () => {
  // The suite may send more requests without a good key than have lines of their own.
  const summary = "more requests were refused for their credential"
  const lines = readFileSync(log, "utf8")
    .split("\n")
    .filter((line) => !line.includes(summary))
  const levels = new Set(lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line).level))
  expect([...levels].sort()).toEqual(["info"])
})
