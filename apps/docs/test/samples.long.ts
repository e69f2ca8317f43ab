/** Runs the page's samples with the real curl and Python. `page.test.ts` runs the TypeScript samples. */
import { spawnSync } from "node:child_process"
import { parseExactJson } from "@petstore/core/exact-json"
import { inMemory } from "@petstore/harness/command"
import { serve } from "@petstore/harness/testing"
import { expect, it } from "vitest"
import { samplesIn, shapeOf } from "./page-samples.ts"

const languages = [
  {
    language: "curl",
    command: "/bin/sh",
    prefix: `curl() { command curl -sS --fail-with-body -w '\\n' "$@" || exit; }\n`,
  },
  {
    language: "Python",
    // The Python for which Debian installs python3-requests. Another Python may come before it on PATH.
    command: "/usr/bin/python3",
    prefix: "import builtins, json\nprint = lambda value: builtins.print('' if value == 204 else json.dumps(value))\n",
  },
]

it.each(languages)(
  "the $language samples, run from the top of the page to its end, get the responses that the page shows",
  async ({ language, command, prefix }) => {
    const service = await serve(inMemory())
    const { sampleOf, responseOf, order } = await samplesIn(service.origin)
    const env = { PATH: "/usr/local/bin:/usr/bin:/bin", PETSTORE_API_KEY: service.key }
    for (const operation of order) {
      const program = prefix + sampleOf(operation, language)
      const { stdout, stderr, status } = spawnSync(command, ["-c", program], { env, encoding: "utf8" })
      expect([operation, status, stderr]).toEqual([operation, 0, ""])
      const printed = stdout.trimStart().split("\n").at(-2) ?? ""
      expect([operation, shapeOf(printed === "" ? undefined : parseExactJson(printed))]).toEqual([
        operation,
        shapeOf(responseOf(operation)),
      ])
    }
  },
)
