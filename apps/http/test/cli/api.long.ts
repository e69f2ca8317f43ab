/** The commands that call the API of a running service with an API key. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { commandPath, createKey, environmentOf, run, runProgram } from "@petstore/harness/command"
import { startService } from "@petstore/harness/serving"
import { afterAll, beforeAll, expect, it } from "vitest"

const folder = mkdtempSync(join(tmpdir(), "petstore-api-commands-"))
const environment = environmentOf({ DATABASE_URL: `sqlite:${join(folder, "pets.db")}`, LOG_LEVEL: "silent" })
let service: Awaited<ReturnType<typeof startService>>
let caller = environment

beforeAll(async () => {
  service = await startService(environment)
  await service.until(() => service.printed().includes("Bearer "), "its API key")
  caller = { ...environment, PETSTORE_URL: service.origin, PETSTORE_API_KEY: service.key }
})

afterAll(async () => {
  await service.kill()
  rmSync(folder, { recursive: true })
})

const call = (...args: ReadonlyArray<string>) => run(caller, ...args)

it("an animal is added, found, corrected, reserved, sold, taken back, removed and brought back", async () => {
  const added = await call("pets", "create", "--name", "Mr. Whiskers", "--category-id", "9007199254740993", "--json")
  expect(added).toMatchObject({ exitCode: 0, stdout: '{"id":1,"name":"Mr. Whiskers","categoryId":9007199254740993}\n' })
  const [, etag = ""] = /entity tag: (.*)\n/.exec(added.stderr) ?? []
  const corrected = await call("pets", "correct", "1", "--status", "available", "--if-match", etag)
  expect(corrected.stdout).toBe("ID  NAME          CATEGORYID        STATUS\n1   Mr. Whiskers  9007199254740993  available\n")
  expect(await call("pets", "correct", "1", "--status", "", "--if-match", etag)).toMatchObject({ exitCode: 1, stdout: "" })
  expect((await call("pets", "list", "--status", "available", "--name", "whisk", "--json")).stdout).toContain('"id":1,')
  expect((await call("orders", "create", "--pet-id", "1", "--note", "until Saturday", "--json")).stdout).toContain('"placed"')
  expect((await call("orders", "complete", "1")).stdout).toContain("completed")
  expect((await call("orders", "return", "1")).stdout).toContain("returned")
  expect(await call("pets", "remove", "1")).toMatchObject({ exitCode: 0, stdout: "" })
  expect((await call("pets", "restore", "1")).stdout).toContain("Mr. Whiskers")
  expect((await call("pets", "correct", "1", "--status", "", "--json")).stdout).not.toContain("status")
  expect((await call("changes", "list", "--order", "desc", "--limit", "1")).stdout).toContain("correctPet")
  expect((await call("inventory", "--json")).stdout).toContain('"total":1')
  expect((await call("categories", "replace", "7", "--name", "Dogs")).stdout).toContain("Dogs")
})

it("a page says how to get the next one, and its names cannot steer the terminal", async () => {
  for (const name of ["a\u001b[2J", "b", "c"]) await call("pets", "create", "--name", name, "--category-id", "55")
  const page = await call("pets", "list", "--category-id", "55", "--limit", "2")
  expect(page.stdout).toContain("a\\u001b[2J")
  const [, cursor = ""] = /--cursor (\S+)\n/.exec(page.stderr) ?? []
  expect((await call("pets", "list", "--category-id", "55", "--limit", "2", "--cursor", cursor)).stdout).toMatch(/ c +55\n$/)
})

it("a refusal, a missing key, a wrong value and a service that is down are sentences", async () => {
  expect(await call("pets", "create", "--name", " ", "--category-id", "1")).toMatchObject({ exitCode: 1, stdout: "" })
  expect((await call("pets", "get", "404")).stderr).toContain("No pet has the identifier 404")
  expect(await call("pets", "get", "x")).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("a 64-bit integer") })
  expect(await call("pets", "list", "--limit", "many")).toMatchObject({ exitCode: 2, stdout: "" })
  expect(await call("pets", "create", "--name", "a")).toMatchObject({ exitCode: 2 })
  const { PETSTORE_API_KEY: _, ...without } = caller
  expect(await run(without, "me")).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("PETSTORE_API_KEY is missing") })
  expect(await run({ ...caller, PETSTORE_URL: "no address" }, "me")).toMatchObject({ exitCode: 2, stdout: "" })
  const { key } = await createKey(environment, "development", "--read-only")
  const refused = await run({ ...caller, PETSTORE_API_KEY: key }, "pets", "remove", "1")
  expect(refused).toMatchObject({ exitCode: 1, stdout: "" })
  expect(refused.stderr).not.toContain(key)
})

it("a reader that has closed the output is told in one line", async () => {
  const { stderr } = await runProgram(caller, "sh", ["-c", `"$0" inventory | true`, commandPath("petstore")])
  expect(stderr).toBe("petstore: Standard output cannot be written: its reader has closed it.\n")
})
