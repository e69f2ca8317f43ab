/** `petstore backup` while the service runs, and `petstore restore`. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { type Environment, environmentIn, run } from "@petstore/harness/command"
import { serve, temporaryFolder } from "@petstore/harness/testing"
import { describe, expect, it } from "vitest"
import { copiesOf } from "./copied-folders.js"

/** A store with this many pets, and its backup. */
const copied = copiesOf(async (folder, pets: number): Promise<Record<string, unknown>> => {
  const environment = environmentIn(folder)
  await run(environment, "migrate")
  const store = new DatabaseSync(join(folder, "petstore.db"))
  const insert = store.prepare("INSERT INTO pets (name, category_id) VALUES (?, ?)")
  for (let pet = 0; pet < pets; pet += 1) insert.run(`a pet with a name that is long enough to fill a page or two: ${pet}`, pet)
  store.close()
  const { stdout } = await run(environment, "backup", join(folder, "backup.db"), "--json")
  return JSON.parse(stdout)
})

const backedUp = async (pets: number) => {
  const { folder, made } = await copied(pets)
  const file = join(folder, "backup.db")
  return {
    folder,
    environment: environmentIn(folder),
    path: join(folder, "petstore.db"),
    file,
    summary: { ...made, file, checksum: made["checksum"] },
  }
}

const countIn = (path: string): unknown => {
  const store = new DatabaseSync(path)
  const count = store.prepare("SELECT count(*) AS pets FROM pets").get()?.["pets"]
  store.close()
  return count
}

const restore = (environment: Environment, ...args: ReadonlyArray<string>) => run(environment, "restore", ...args, "--json")

describe("a backup", () => {
  it("can be created and restored with sql.js, and each engine accepts the other's backup", async () => {
    const { folder, path, summary } = await backedUp(2)
    const file = join(folder, "by-sqljs.db")
    const bySqljs = environmentIn(folder, { DATABASE_URL: `sqljs:${path}` })
    const { stdout } = await run(bySqljs, "backup", file, "--json")
    expect(JSON.parse(stdout)).toEqual({ ...summary, file })
    const elsewhere = temporaryFolder()
    for (const [adapter, from] of [
      ["sqljs", summary.file],
      ["sqlite", file],
    ] as const) {
      const url = `${adapter}:${join(elsewhere, `${adapter}.db`)}`
      const restored = JSON.parse((await restore(environmentIn(elsewhere, { DATABASE_URL: url }), from)).stdout)
      expect(restored).toMatchObject({ pets: 2, checksum: summary.checksum, movedAside: null, wasDamaged: false })
      expect(countIn(join(elsewhere, `${adapter}.db`))).toBe(2)
    }
  })

  it("does not replace an existing file, and leaves no partial file", async () => {
    const { environment, folder, file } = await backedUp(2)
    const before = readFileSync(file)
    const { exitCode, stderr } = await run(environment, "backup", file)
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining("already exists") })
    expect(readFileSync(file)).toEqual(before)
    expect(readdirSync(folder).filter((name) => name.includes("unfinished"))).toEqual([])
  })

  it("is refused for an in-memory store", async () => {
    const environment = environmentIn(temporaryFolder(), { DATABASE_URL: "memory:" })
    const { exitCode, stderr } = await run(environment, "backup", "x.db")
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining("cannot be backed up") })
  })
})

describe("a restore", () => {
  it("refuses a backup in which one pet's name has changed", async () => {
    const { environment, path, file } = await backedUp(500)
    // Pages also hold stale copies of moved rows, so the test changes every copy of the name.
    const bytes = Buffer.from(readFileSync(file, "latin1").replaceAll("two: 250", "two: 251"), "latin1")
    writeFileSync(file, bytes)
    const { exitCode, stderr } = await restore(environment, file, "--replace")
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining("it is damaged. Nothing was changed") })
    expect(countIn(path)).toBe(500)
  })

  it("refuses a file that is not a backup", async () => {
    const { environment, path } = await backedUp(2)
    const { exitCode, stderr } = await restore(environment, path, "--replace")
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining("is not a backup of this program") })
  })

  it("names an unreadable backup, and changes nothing", async () => {
    const { environment, folder, path, file } = await backedUp(500)
    writeFileSync(join(folder, "half.db"), readFileSync(file).subarray(0, 9_000))
    expect(await restore(environment, join(folder, "half.db"), "--replace")).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(
        /half\.db cannot be restored, and nothing was changed: .* is malformed\. It is damaged or not a backup\./,
      ),
    })
    expect(await restore(environment, folder, "--replace")).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining(`${folder} has no backup of this store.`),
    })
    expect(countIn(path)).toBe(500)
  })

  it("keeps an existing store unless --replace moves it aside", async () => {
    const { environment, path, file, summary } = await backedUp(2)
    const store = new DatabaseSync(path)
    store.exec("INSERT INTO pets (name, category_id) VALUES ('later', 1)")
    store.close()
    expect(await restore(environment, file)).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("Pass --replace") })
    expect(countIn(path)).toBe(3)

    const { stdout } = await restore(environment, file, "--replace")
    const { movedAside, ...restored } = JSON.parse(stdout)
    expect(restored).toMatchObject({ pets: 2, checksum: summary.checksum, wasDamaged: false })
    expect(countIn(path)).toBe(2)
    expect(countIn(movedAside)).toBe(3)
  })

  it.each(["sqlite", "sqljs"])("refuses to replace the store of a running service, with %s", async (adapter) => {
    const { folder, path, file } = await backedUp(2)
    const environment = environmentIn(folder, { DATABASE_URL: `${adapter}:${path}` })
    const service = await serve(environment)
    const { exitCode, stderr } = await restore(environment, file, "--replace")
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: expect.stringContaining("is in use. Stop the programs that use it first"),
    })
    expect(existsSync(path)).toBe(true)
    const body = JSON.stringify({ name: "Bello", categoryId: 1 })
    const headers = { Authorization: `Bearer ${service.key}`, "Content-Type": "application/json" }
    expect((await fetch(`${service.baseUrl}/pets`, { method: "POST", headers, body })).status).toBe(201)
    service.signal("SIGTERM")
    await service.ended
    expect((await restore(environment, file, "--replace")).exitCode).toBe(0)
  })

  it("reports that the previous store is damaged, and where it was moved", async () => {
    const { environment, path, file } = await backedUp(2)
    writeFileSync(path, "no database")
    const { exitCode, stdout } = await run(environment, "restore", file, "--replace")
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: expect.stringMatching(/2 animals, .* The previous store is damaged: it is at .*\.before-restore-/),
    })
    expect(countIn(path)).toBe(2)
  })

  it("that was interrupted prevents the service from starting, and the error says why", async () => {
    const { environment, path, file } = await backedUp(2)
    rmSync(path)
    writeFileSync(`${path}.restoring`, "")
    const { exitCode, stderr } = await run(environment, "serve")
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining("was interrupted. Repeat it") })
    expect(existsSync(path)).toBe(false)
    expect((await run(environment, "restore", file)).exitCode).toBe(0)
    expect(countIn(path)).toBe(2)
  })
})
