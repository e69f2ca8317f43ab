/** The samples of the docs page, run by the real curl and by the real Python with requests. In TypeScript: `docs.test.ts`. */
import { spawnSync } from "node:child_process"
import { inMemory } from "@petstore/harness/command"
import { type Service, startService } from "@petstore/harness/serving"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { operations, samplesIn, statusOf } from "./page-samples.ts"

let service: Service
let sampleOf: (operation: string, language: string) => string
beforeAll(async () => {
  service = await startService(inMemory())
  sampleOf = await samplesIn(service.origin)
})
afterAll(async () => {
  await service?.stop()
})

const run = (command: string, program: string) => {
  const env = { PATH: "/usr/local/bin:/usr/bin:/bin", PETSTORE_API_KEY: service.key }
  // The Python that Debian's python3-requests belongs to, whatever other Python stands before it on PATH.
  const { stdout, stderr, status } = spawnSync(command, ["-c", program], { env, encoding: "utf8" })
  return { stdout, stderr, status }
}

describe("the samples of the page", () => {
  it.each(operations)("of %s run with curl", (operation) => {
    const { stdout } = run(
      "/bin/sh",
      `curl() { command curl -sS -o /dev/null -w '%{http_code}' "$@"; }\n${sampleOf(operation, "curl")}`,
    )
    expect(stdout).toBe(String(statusOf(operation)))
  })

  it.each(operations)("of %s run with Python", (operation) => {
    const { stdout, stderr, status } = run("/usr/bin/python3", sampleOf(operation, "Python"))
    const expected = statusOf(operation)
    const form = expected === 204 ? /^204\n$/ : /^[[{]/
    if (expected < 400) expect([status, stderr, form.test(stdout)]).toEqual([0, "", true])
    else expect(stderr).toMatch(new RegExp(`^\\{.*"status":${expected}\\}\n$`))
  })
})
