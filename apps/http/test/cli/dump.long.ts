/** Backups of PostgreSQL stores by the server's own programs, and what `petstore migrate --restored` settles afterwards. */
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createKey, type Environment, environmentIn, petstore, run } from "@petstore/harness/command"
import { freePort } from "@petstore/harness/free-port"
import { serve, temporaryFolder } from "@petstore/harness/testing"
import { afterAll, beforeAll, expect, it } from "vitest"
import { rowsOf } from "../rows-of.js"

/** Debian's server, because `pg_dump` refuses a server that is newer than itself. */
const bin = globSync("/usr/lib/postgresql/*/bin").toSorted().at(-1) ?? ""

let server: { readonly url: (database: string) => string; readonly end: () => Promise<void> }

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "petstore-debian-"))
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  chmodSync(folder, 0o777)
  const data = join(folder, "data")
  const password = join(folder, "password")
  writeFileSync(password, "open sesame")
  execFileSync(
    join(bin, "initdb"),
    ["-D", data, "--auth=password", "--username=petstore", `--pwfile=${password}`, "--encoding=UTF8", "--no-sync"],
    { ...user, stdio: "pipe", cwd: folder },
  )
  const port = await freePort()
  const settings = ["fsync=off", "unix_socket_directories=", `port=${port}`].flatMap((setting) => ["-c", setting])
  const child = spawn(join(bin, "postgres"), ["-D", data, ...settings], { ...user, stdio: ["ignore", "ignore", "pipe"] })
  const closed = once(child, "close")
  await new Promise<void>((resolve, reject) => {
    child.stderr.setEncoding("utf8").on("data", (text: string) => text.includes("ready to accept connections") && resolve())
    closed.then(() => reject(new Error("The server did not start.")), reject)
  })
  server = {
    url: (database) => `postgres://petstore:open%20sesame@127.0.0.1:${port}/${database}`,
    end: async () => {
      child.kill("SIGINT")
      await closed
      rmSync(folder, { recursive: true })
    },
  }
})

afterAll(() => server.end())

const newDatabase = async (name: string): Promise<string> => {
  await rowsOf(server.url("postgres"), `CREATE DATABASE ${name}`)
  return server.url(name)
}

const restoreDump = (url: string, file: string): void =>
  void execFileSync("pg_restore", ["--no-owner", "--exit-on-error", "--single-transaction", `--dbname=${url}`, file], {
    stdio: "pipe",
  })

/** A store with 30 pets and keys, and its dump; then a later pet, a revoked key and a new one. */
const dumped = async (name: string) => {
  const url = await newDatabase(name)
  const folder = temporaryFolder()
  const environment = environmentIn(folder, { DATABASE_URL: url, BACKUP_FOLDER: folder })
  await petstore(environment, "accounts", "create", "Shop")
  const [leaked, good] = [await createKey(environment, "Shop"), await createKey(environment, "Shop")]
  const pets = join(folder, "pets.ndjson")
  writeFileSync(
    pets,
    Array.from({ length: 30 }, (_, index) => JSON.stringify({ name: `Pet ${index}`, categoryId: 1 })).join("\n"),
  )
  await petstore(environment, "import", pets)
  const { file } = JSON.parse((await run(environment, "backup", "--into", folder, "--keep", "2", "--json")).stdout)
  const lateFile = join(folder, "late.json")
  await petstore(environment, "import", pets)
  await petstore(environment, "keys", "revoke", leaked.id)
  const later = await createKey(environment, "Shop")
  writeFileSync(lateFile, (await run(environment, "keys", "list", "--json")).stdout)
  return { url, folder, environment, file, lateFile, keys: { leaked, good, later } }
}

const accepts = async (environment: Environment, keys: ReadonlyArray<{ readonly key: string }>) => {
  const { baseUrl } = await serve(environment)
  const statuses = []
  for (const { key } of keys) {
    statuses.push((await fetch(`${baseUrl}/pets`, { headers: { Authorization: `Bearer ${key}` } })).status)
  }
  const headers = { Authorization: `Bearer ${keys[0]?.key}`, "Content-Type": "application/json" }
  const created = await fetch(`${baseUrl}/pets`, { method: "POST", headers, body: '{"name":"Next","categoryId":1}' })
  const [, id] = /"id":(\d+)/.exec(await created.text()) ?? []
  return { statuses, next: id && Number(id) }
}

it("a dump is verified, private, and has the keys beside it; the doctor tells of one with an altered byte", async () => {
  const { environment, folder, file } = await dumped("verified")
  expect(file).toMatch(/\/verified-\d{4}-\d\d-\d\dT\d{6}\.\d{3}Z\.dump$/)
  expect([statSync(file).mode & 0o777, statSync(`${file}.keys.json`).mode & 0o777]).toEqual([0o600, 0o600])
  expect(JSON.parse(readFileSync(`${file}.keys.json`, "utf8"))).toHaveLength(2)
  const again = JSON.parse((await run(environment, "backup", "--into", folder, "--keep", "1", "--json")).stdout)
  expect(again).toMatchObject({ pets: 60, list: `${again.file}.keys.json`, deleted: [file.slice(folder.length + 1)] })
  expect(globSync(`${file}*`)).toEqual([])
  execFileSync("sha256sum", ["--check", "--quiet", `${again.file}.sha256`], { cwd: folder })

  const tried = await run(environment, "restore", "--try", folder)
  const proof = `${again.file} can be restored: 60 animals and 3 keys, verified by the checksum ${again.checksum}.`
  expect(tried).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(proof) })
  const left = "SELECT datname FROM pg_database WHERE datname LIKE 'petstore_try%'"
  expect(await rowsOf(server.url("postgres"), left)).toEqual([])

  const examined = async () => {
    const findings: ReadonlyArray<{ about: string }> = JSON.parse((await run(environment, "doctor", "--json")).stdout)
    return findings.find(({ about }) => about === "backup")
  }
  expect(await examined()).toMatchObject({ state: "ok" })
  const bytes = readFileSync(again.file)
  bytes.writeUInt8(bytes.readUInt8(bytes.length >> 1) ^ 0xff, bytes.length >> 1)
  writeFileSync(again.file, bytes)
  expect(await examined()).toMatchObject({ state: "problem", finding: expect.stringContaining("it is damaged") })
  expect(await run(environment, "restore", "--try", folder)).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("it is damaged"),
  })
})

it("without pg_dump, a backup says what to install, and leaves no file", async () => {
  const { environment, folder } = await dumped("unequipped")
  const tools = join(folder, "bin")
  mkdirSync(tools)
  // The script that starts the command needs it.
  symlinkSync("/usr/bin/readlink", join(tools, "readlink"))
  const { exitCode, stderr } = await run({ ...environment, PATH: tools }, "backup", join(folder, "x.dump"))
  expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining("pg_dump is not installed here.") })
  expect(globSync(`${folder}/x.dump*`)).toEqual([])
})

it("after pg_restore, identifiers and keys go on from the former database", async () => {
  const { url, environment, file, keys } = await dumped("former")
  const restored = { ...environment, DATABASE_URL: await newDatabase("restored_from_former") }
  restoreDump(restored.DATABASE_URL, file)
  const itself = await run(restored, "migrate", "--restored", "--former", restored.DATABASE_URL)
  expect(itself).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("is the restored database itself") })
  const { exitCode, stderr, stdout } = await run(restored, "migrate", "--restored", "--former", url)
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.stringContaining("new animals are above 60,") })
  expect(stderr).toContain("1 key in the backup is revoked or limited in time")
  expect(stderr).toContain("1 key from the previous store is kept")
  expect(await accepts(restored, [keys.good, keys.leaked, keys.later])).toEqual({ statuses: [200, 401, 200], next: 61 })
})

it("after pg_restore, a newer list of the keys tells which ones are revoked, and 2^32 identifiers are skipped", async () => {
  const { environment, file, lateFile, keys } = await dumped("listed")
  const restored = { ...environment, DATABASE_URL: await newDatabase("restored_from_list") }
  restoreDump(restored.DATABASE_URL, file)
  const { exitCode, stderr } = await run(restored, "migrate", "--restored", "--keys", lateFile)
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.stringContaining("1 key is accepted now.") })
  expect(stderr).toContain(`Keys that were revoked after ${lateFile} was written are accepted again`)
  expect(await accepts(restored, [keys.good, keys.leaked])).toEqual({ statuses: [200, 401], next: 30 + 2 ** 32 + 1 })
})

it("after pg_restore, an account that was disabled meanwhile stays so, by the former database or a newer list", async () => {
  const { url, environment, file, lateFile, keys } = await dumped("disabled")
  await petstore(environment, "accounts", "disable", "Shop")
  writeFileSync(lateFile, (await run(environment, "keys", "list", "--json")).stdout)
  for (const [name, ...known] of [
    ["disabled_by_former", "--former", url],
    ["disabled_by_list", "--keys", lateFile],
  ] as const) {
    const restored = { ...environment, DATABASE_URL: await newDatabase(name) }
    restoreDump(restored.DATABASE_URL, file)
    const { exitCode, stderr } = await run(restored, "migrate", "--restored", ...known)
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.stringContaining("0 keys are accepted now.") })
    expect((await accepts(restored, [keys.good])).statuses).toEqual([401])
    await petstore(restored, "accounts", "enable", "Shop")
    expect((await accepts(restored, [keys.good, keys.leaked])).statuses).toEqual([200, 401])
  }
})

it("after pg_restore, all keys are revoked if nothing is known, and a store that a service uses is refused", async () => {
  const { environment, file, keys } = await dumped("unknown")
  const restored = { ...environment, DATABASE_URL: await newDatabase("restored_alone") }
  restoreDump(restored.DATABASE_URL, file)
  const { exitCode, stderr } = await run(restored, "migrate", "--restored")
  expect({ exitCode, stderr }).toEqual({
    exitCode: 0,
    stderr: expect.stringContaining("2 keys in the backup are revoked: it is unknown whether they have been revoked since then."),
  })
  expect(stderr).toContain("0 keys are accepted now. Create a new one: ")
  expect(await accepts(restored, [keys.good])).toEqual({ statuses: [401], next: undefined })
  await expect
    .poll(async () => (await run(restored, "migrate", "--restored")).stderr, { timeout: 20_000 })
    .toContain("A service has used the restored store within the last 30 seconds. Stop it first.")
})

it.each([
  [["--former", "postgres://h/d"], "--former and --keys need --restored"],
  [["--restored", "--distribute"], "Pass --restored first"],
  [["--restored", "--former", "sqlite:x.db"], "expected the URL of a PostgreSQL database"],
])("migrate refuses %j", async (args, says) => {
  const { exitCode, stderr } = await run(environmentIn(temporaryFolder()), "migrate", ...args)
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(says) })
})
