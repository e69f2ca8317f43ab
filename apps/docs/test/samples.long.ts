/** Runs the page's samples with the real curl and Python. `page.test.ts` runs the TypeScript samples. */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { createClient } from "@petstore/client"
import { parseExactJson } from "@petstore/core/exact-json"
import { inMemory } from "@petstore/harness/command"
import { serve } from "@petstore/harness/testing"
import { expect, it, onTestFinished } from "vitest"
import { programIn, samplesIn, shapeOf } from "./page-samples.ts"

/** The Python for which Debian installs python3-requests. Another Python may come before it on PATH. */
const python = "/usr/bin/python3"

const path = "/usr/local/bin:/usr/bin:/bin"

const languages = [
  {
    language: "curl",
    command: "/bin/sh",
    prefix: `curl() { command curl -sS --fail-with-body -w '\\n' "$@" || exit; }\n`,
  },
  {
    language: "Python",
    command: python,
    prefix: "import builtins, json\nprint = lambda value: builtins.print('' if value == 204 else json.dumps(value))\n",
  },
]

it.each(languages)(
  "the $language samples, run from the top of the page to its end, get the responses that the page shows",
  async ({ language, command, prefix }) => {
    const service = await serve(inMemory())
    const { sampleOf, responseOf, order } = await samplesIn(service.origin)
    const env = { PATH: path, PETSTORE_API_KEY: service.key }
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

it("the Python program that follows changes prints each change once", async () => {
  const { origin, key } = await serve(inMemory())
  const env = { PATH: path, PETSTORE_API_KEY: key }
  const petstore = createClient({ baseUrl: `${origin}/v1`, apiKey: key })
  await petstore.createPet({ name: "Earlier", categoryId: 1n })
  const source = await programIn(origin, "following", "Python")
  // Before the program begins to wait, it says so.
  const program = spawn(python, ["-c", source.replace("while True:", 'print("follows", flush=True)\nwhile True:')], { env })
  onTestFinished(() => void program.kill())
  const lines = createInterface({ input: program.stdout })[Symbol.asyncIterator]()
  expect((await lines.next()).value).toBe("follows")
  for (const name of ["Bello", "Mia", "Rex"]) {
    await petstore.createPet({ name, categoryId: 1n })
    expect((await lines.next()).value).toMatch(new RegExp(`createPet .*'name': '${name}'`))
  }
  program.kill()
  await once(program, "exit")
})
