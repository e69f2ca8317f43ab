/** `petstore doctor` on real stores: healthy, faulty, and in use by a running service. */
import { once } from "node:events"
import { chmodSync, chownSync, readdirSync, statSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { commandPath, type Environment, environmentIn, run, runProgram } from "@petstore/harness/command"
import { freePort } from "@petstore/harness/free-port"
import { serve, temporaryFolder } from "@petstore/harness/testing"
import { newPostgresDatabase } from "@petstore/test/postgres"
import { describe, expect, it, onTestFinished } from "vitest"

interface Finding {
  readonly state: string
  readonly about: string
  readonly finding: string
  readonly remedy: string | null
}

const examined = async (environment: Environment) => {
  const { exitCode, stdout, stderr } = await run(environment, "doctor", "--json")
  const findings: ReadonlyArray<Finding> = JSON.parse(stdout)
  return { exitCode, stderr, findings, amiss: findings.filter(({ state }) => state !== "ok") }
}

/** The files and their modification times. Write-ahead logs have no time, because the service writes to them every 5 s. */
const inFolder = (folder: string) =>
  readdirSync(folder)
    .toSorted()
    .map((name) => `${name} ${/-(?:shm|wal)$/.test(name) ? "" : statSync(join(folder, name)).mtimeMs}`)

describe("petstore doctor", () => {
  it("finds no problem alongside a running service, and does not change any file", async () => {
    const folder = temporaryFolder()
    const service = await serve(environmentIn(folder, { ADMIN_PORT: "0" }))
    const port = new URL(service.baseUrl).port
    const adminPort = /127\.0\.0\.1:(\d+)\/metrics/.exec(service.stdout)?.[1] ?? ""
    const before = inFolder(folder)
    const { exitCode, stderr, findings, amiss } = await examined(environmentIn(folder, { PORT: port, ADMIN_PORT: adminPort }))
    expect(inFolder(folder)).toEqual(before)
    expect({ exitCode, stderr, amiss }).toEqual({ exitCode: 0, stderr: "", amiss: [] })
    expect(findings.map(({ about, state }) => [about, state])).toEqual(
      [
        ...["versions", "settings", "owner", "permissions", "disk", "store", "schema", "deployment", "keys", "clock"],
        ...["port", "admin port"],
      ].map((about) => [about, "ok"]),
    )
    expect(findings.find(({ about }) => about === "port")?.finding).toContain(`A petstore is ready at 127.0.0.1:${port}`)
    expect((await run(environmentIn(folder), "doctor")).stdout).toMatch(/^STATE +ABOUT +FINDING\nok +versions +petstore 1/)
  })

  it("creates nothing if there is no store, and says how to create one", async () => {
    const folder = temporaryFolder()
    const { exitCode, stderr, amiss } = await examined(environmentIn(folder))
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: "petstore: 1 problem, 0 warnings.\n" })
    expect(amiss).toMatchObject([
      { about: "store", finding: expect.stringMatching(/^There is no store at .*; the first start will create it\.$/) },
    ])
    expect(readdirSync(folder)).toEqual([])
  })

  it("finds no problem if a developer's first start will create the store", async () => {
    const folder = temporaryFolder()
    const { DATABASE_URL: _, ...unset } = environmentIn(folder)
    const { exitCode, stdout } = await runProgram(unset, commandPath("petstore"), ["doctor"], { folder })
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.stringContaining("the first start will create it.") })
    expect(readdirSync(folder)).toEqual([])
  })

  it("reports what is wrong with a service's files, deployment, keys and port, and what to do", async () => {
    const folder = temporaryFolder()
    const path = join(folder, "petstore.db")
    await run(environmentIn(folder, { PETSTORE_ENV: "production" }), "accounts", "create", "Pets & Co")
    chmodSync(path, 0o644)
    const isRoot = process.getuid?.() === 0
    if (isRoot) chownSync(`${path}-users`, 1000, 1000)
    const port = await freePort()
    const other = createServer((socket) => socket.end("no HTTP")).listen(port, "127.0.0.1")
    onTestFinished(() => void other.close())
    await once(other, "listening")
    const { exitCode, amiss } = await examined(environmentIn(folder, { PETSTORE_ENV: "staging", PORT: String(port) }))
    expect(exitCode).toBe(1)
    const found = (about: string) => amiss.find((finding) => finding.about === about)
    if (isRoot) expect(found("owner")).toMatchObject({ state: "problem", remedy: `chown 0 ${path}-users` })
    expect(found("permissions")).toMatchObject({
      state: "warning",
      remedy: expect.stringMatching(/^chmod 600 .*petstore\.db'?$/),
    })
    expect(found("deployment")).toMatchObject({
      state: "problem",
      remedy: expect.stringContaining("Set PETSTORE_ENV=production"),
    })
    expect(found("keys")).toMatchObject({ state: "problem", remedy: "petstore keys create --account 'Pets & Co'" })
    expect(found("port")).toMatchObject({ state: "problem", finding: expect.stringContaining("is in use by another program") })
  })

  it("reports a store from before 1.0.0, and a file that is not a database", async () => {
    const folder = temporaryFolder()
    const path = join(folder, "petstore.db")
    await run(environmentIn(folder), "migrate")
    const store = new DatabaseSync(path)
    store.exec("PRAGMA user_version = 1")
    store.close()
    expect((await examined(environmentIn(folder))).amiss).toMatchObject([
      { state: "problem", about: "store", finding: expect.stringContaining("from before 1.0.0") },
    ])
    writeFileSync(path, "no database at all, but long enough to be taken for one".repeat(30))
    expect((await examined(environmentIn(folder))).amiss).toMatchObject([
      { state: "problem", about: "store", finding: expect.stringContaining("Restore a backup") },
    ])
  })

  it("--recount corrects the inventory after a program has written without updating it, and prints both counts", async () => {
    const folder = temporaryFolder()
    await run(environmentIn(folder), "migrate")
    const store = new DatabaseSync(join(folder, "petstore.db"))
    store.exec("INSERT INTO pets (name, category_id, status) VALUES ('Bello', 1, 'sold'); UPDATE inventory SET pets = 7")
    store.close()
    const { exitCode, stdout } = await run(environmentIn(folder), "doctor", "--recount")
    expect({ exitCode, lines: stdout.trimEnd().split("\n") }).toEqual({
      exitCode: 0,
      lines: [
        "Stored:  7 available, 7 pending, 7 sold, 7 without a status, 28 in total.",
        "Counted: 0 available, 0 pending, 1 sold, 0 without a status, 1 in total.",
        "The inventory was wrong. It has been set to the counted numbers.",
      ],
    })
    const again = await run(environmentIn(folder), "doctor", "--recount", "--json")
    expect(JSON.parse(again.stdout)).toMatchObject({ differed: false, kept: { sold: 1, total: 1 } })
  })

  it("inspects a PostgreSQL store, and reports an unavailable one", async () => {
    const environment = environmentIn(temporaryFolder(), { DATABASE_URL: await newPostgresDatabase() })
    // The test server runs without durability.
    const volatile = { state: "warning", about: "durability", finding: expect.stringContaining("fsync = off") }
    const missing = { state: "problem", about: "store", finding: expect.stringMatching(/^There is no store at postgres:/) }
    expect((await examined(environment)).amiss).toMatchObject([missing, volatile])
    await run(environment, "accounts", "create", "shop")
    await run(environment, "keys", "create", "--account", "shop")
    expect(await examined(environment)).toMatchObject({ exitCode: 0, amiss: [volatile] })
    const unavailable = await examined({ ...environment, DATABASE_URL: "postgres://unknown:secret@127.0.0.1:1/none" })
    expect(unavailable.amiss).toMatchObject([
      { state: "problem", about: "store", finding: expect.stringContaining("cannot be opened") },
    ])
    expect(JSON.stringify(unavailable.amiss)).not.toContain("secret")
  })
})
