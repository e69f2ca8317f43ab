/** `petstore backup --into FOLDER --keep COUNT`. */
import { existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { environmentIn, run } from "@petstore/harness/command"
import { openWorkplace, serve, temporaryFolder } from "@petstore/harness/testing"
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

/** Changes one byte of a text in a file. The pages stay whole. */
const alter = (file: string, text: string): void => {
  const bytes = readFileSync(file)
  const at = bytes.lastIndexOf(text)
  expect(at).toBeGreaterThan(0)
  bytes[at] = 0x58
  writeFileSync(file, bytes)
}

it("the doctor and the metrics tell of the newest backup: none, a good one, an old one, one with an altered byte", async () => {
  const place = temporaryFolder()
  const folder = join(place, "backups")
  const settings = environmentIn(place, { BACKUP_FOLDER: folder, ADMIN_PORT: "0" })
  await run(settings, "accounts", "create", "Pets and Co")
  const examined = async (about: string, more = {}) => {
    const { stdout } = await run({ ...settings, ...more }, "doctor", "--json")
    const findings: ReadonlyArray<{ about: string; state: string; finding: string }> = JSON.parse(stdout)
    return findings.find((finding) => finding.about === about)
  }
  expect(await examined("backup")).toMatchObject({ state: "warning", finding: expect.stringContaining("cannot be read") })
  const { stdout } = await serve(settings)
  const [metricsUrl = ""] = /http:\S+\/metrics/.exec(stdout) ?? []
  const measured = async () =>
    /^petstore_backup_timestamp_seconds\{folder="[^"]+"\} (.+)$/m.exec(await (await fetch(metricsUrl)).text())?.[1]
  expect(await measured()).toBe("0")

  const made = JSON.parse((await run(settings, "backup", "--into", folder, "--json")).stdout).file
  expect(Math.abs(Date.now() / 1_000 - Number(await measured()))).toBeLessThan(60)
  expect(await examined("backup")).toMatchObject({ state: "ok", finding: expect.stringContaining(made) })

  const old = join(folder, "petstore-2026-01-02T030405.678Z.db")
  renameSync(made, old)
  expect(await measured()).toBe(String(Date.parse("2026-01-02T03:04:05.678Z") / 1_000))
  expect(await examined("backup")).toMatchObject({ state: "warning", finding: expect.stringMatching(/ hours old: /) })

  alter(old, "Pets and Co")
  const damaged = { state: "problem", finding: `${old} does not contain what was backed up: it is damaged.` }
  expect(await examined("backup")).toMatchObject(damaged)
  expect(await examined("store", { DATABASE_URL: `sqlite:${old}` })).toMatchObject(damaged)
})

it("a store that was created by copying a backup over its file may change", async () => {
  const place = temporaryFolder()
  const file = join(place, "copied.db")
  await run(environmentIn(place), "migrate")
  await run(environmentIn(place), "backup", file)
  const copied = environmentIn(place, { DATABASE_URL: `sqlite:${file}` })
  await run(copied, "accounts", "create", "Later")
  const { stdout } = await run(copied, "doctor", "--json")
  expect(JSON.parse(stdout)).toContainEqual(expect.objectContaining({ about: "store", state: "ok" }))
})

it("tries the newest backup in a folder beside a running service, and leaves nothing behind", async () => {
  const place = temporaryFolder()
  const folder = join(place, "backups")
  const settings = environmentIn(place)
  const { baseUrl, key } = await serve(settings)
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" }
  const addPet = () => fetch(`${baseUrl}/pets`, { method: "POST", headers, body: '{"name":"Bello","categoryId":1}' })
  await addPet()
  await run(settings, "backup", "--into", folder)
  await addPet()
  const { file } = JSON.parse((await run(settings, "backup", "--into", folder, "--json")).stdout)
  const before = readdirSync(place)
  const tried = (...args: ReadonlyArray<string>) => run(settings, "restore", "--try", ...args)
  const { exitCode, stdout } = await tried(folder)
  expect({ exitCode, stdout }).toEqual({
    exitCode: 0,
    stdout: expect.stringContaining(`${file} can be restored: 2 animals and 1 key, verified by the checksum `),
  })
  expect((await fetch(`${baseUrl}/pets`, { headers })).status).toBe(200)

  alter(file, "Bello")
  expect(await tried(folder)).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("it is damaged") })
  expect(await tried("--unverified", file)).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("its pages are whole") })
  expect(await tried("--unverified", join(place, "petstore.db"))).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("is in use. Stop the programs that use it first, or back it up."),
  })
  expect(await tried(place)).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("has no backup of this store") })
  expect(await tried("--replace", file)).toMatchObject({ exitCode: 2 })
  expect(readdirSync(place)).toEqual(before)
})
