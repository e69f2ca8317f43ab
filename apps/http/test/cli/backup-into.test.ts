/** `petstore backup --into FOLDER --keep COUNT`. */
import { existsSync, readdirSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { openWorkplace } from "@petstore/harness/testing"
import { expect, it } from "vitest"

it("names verified backups in a folder that it creates, and deletes only its own oldest ones", async () => {
  const { run, path } = openWorkplace()
  await run(["migrate"])
  const folder = path("backups/nightly")
  const made: Array<string> = []
  for (const _ of [1, 2, 3]) {
    const { exitCode, stdout } = await run(["backup", "--into", folder, "--keep", "3", "--json"])
    expect(exitCode).toBe(0)
    made.push(JSON.parse(stdout).file)
    expect(made.at(-1)).toMatch(/\/store-\d{4}-\d\d-\d\dT\d{6}\.\d{3}Z\.db$/)
  }
  const others = ["store-old.db", "other-2020-01-01T000000.000Z.db", "store-2020-01-01T000000.000Z.db.txt"]
  for (const name of others) writeFileSync(join(folder, name), "")
  const { stdout } = await run(["backup", "--into", folder, "--keep", "2", "--json"])
  const last = JSON.parse(stdout).file
  expect(made.map((file) => existsSync(file))).toEqual([false, false, true])
  expect(readdirSync(folder)).toHaveLength(2 + others.length)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect(await run(["restore", "--replace", last])).toMatchObject({ exitCode: 0 })
})

it("deletes nothing if the backup fails, and refuses a file beside a folder", async () => {
  const { run, path } = openWorkplace()
  await run(["migrate"])
  const folder = path("backups")
  const { stdout } = await run(["backup", "--into", folder, "--json"])
  writeFileSync(path("store.db"), "damaged".repeat(10_000))
  expect((await run(["backup", "--into", folder, "--keep", "1"])).exitCode).not.toBe(0)
  expect(existsSync(JSON.parse(stdout).file)).toBe(true)
  const wrong = [["backup"], ["backup", "a.db", "--into", folder], ["backup", "a.db", "--keep", "1"]]
  for (const args of wrong) expect(await run(args)).toMatchObject({ exitCode: 2 })
  expect(await run(["backup", "--into", folder, "--keep", "0"])).toMatchObject({ exitCode: 2 })
})
