/** A full or read-only disk, and a removed file: the check, the doctor and `/readyz` report them and say what to do. */
import { spawnSync } from "node:child_process"
import { once } from "node:events"
import { copyFileSync, cpSync, mkdirSync, readdirSync, rmSync, statfsSync, statSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { commandPath, environmentIn, run, runProgram } from "@petstore/harness/command"
import { freePort } from "@petstore/harness/free-port"
import { serve, temporaryFolder } from "@petstore/harness/testing"
import { describe, expect, it, onTestFinished, type TestContext } from "vitest"

/** A folder with a small in-memory file system. Skips the test if this user is not allowed to mount one. */
const smallDisk = (skip: TestContext["skip"], size = "2m"): string => {
  const folder = join(temporaryFolder(), "disk")
  mkdirSync(folder)
  const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "petstore-test", folder])
  if (status !== 0) skip("this user is not allowed to mount a file system")
  onTestFinished(() => void spawnSync("umount", ["--lazy", folder]))
  return folder
}

/** Fills the disk. Returns a function that frees the space again. */
const fill = (folder: string): (() => void) => {
  const { bfree, bsize } = statfsSync(folder)
  writeFileSync(join(folder, "filler"), Buffer.alloc(bfree * bsize, 1))
  return () => rmSync(join(folder, "filler"))
}

describe("on a disk that is mounted read-only", () => {
  it("a service reports the read-only mount, not a missing permission", async ({ skip }) => {
    const folder = smallDisk(skip)
    const environment = environmentIn(folder)
    expect(await run(environment, "migrate")).toMatchObject({ exitCode: 0 })
    spawnSync("mount", ["-o", "remount,ro", folder])
    const { exitCode, stderr } = await run(environment, "serve")
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: expect.stringContaining(
        `Its file system is mounted read-only. Mount it for writing, or find out why it is not: findmnt -T ${folder}`,
      ),
    })
    expect(stderr).not.toContain("This user")
  })
})

describe("on a full or read-only disk", () => {
  it("the check fails and says where to free space, and /readyz returns 503 with the reason until space is free", async ({
    skip,
  }) => {
    const folder = smallDisk(skip)
    const environment = environmentIn(folder)
    const service = await serve(environment)
    const ready = async () => {
      const response = await fetch(service.baseUrl.replace(/v1$/, "readyz"))
      return { status: response.status, body: await response.text() }
    }
    expect((await ready()).status).toBe(200)
    const elsewhere = temporaryFolder()
    const backup = join(elsewhere, "backup.db")
    expect(await run(environment, "backup", backup)).toMatchObject({ exitCode: 0 })
    const free = fill(folder)
    // Sentence 4.6.8 of the specification.
    const full = await ready()
    const message = "The store's disk is full. Reads still work, but writes are refused."
    expect({ ...full, body: JSON.parse(full.body) }).toEqual({
      status: 503,
      body: { code: "storage_unavailable", message, status: 503 },
    })
    const checked = await run(environment, "serve", "--check")
    expect(checked).toMatchObject({ exitCode: 1, stdout: "", stderr: expect.stringContaining(`df -h ${folder}`) })
    // A small write can still fit into the log that SQLite begins anew.
    const animals = join(elsewhere, "animals.csv")
    writeFileSync(animals, `name,categoryId\n${"Bello,1\n".repeat(20_000)}`)
    const written = await run(environment, "import", animals)
    expect(written).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/petstore\.db/) })
    const room = expect.stringMatching(new RegExp(`disk is full\\. Make room: df -h ${folder}\n$`))
    expect(await run(environment, "backup", join(folder, "backup.db"))).toMatchObject({ exitCode: 1, stderr: room })
    const examined = await run(environment, "doctor", "--json")
    expect(JSON.parse(examined.stdout)).toContainEqual({
      state: "problem",
      about: "disk",
      finding: expect.stringMatching(/^The disk is full: 0\.0 MB free in /),
      remedy: `Make room: df -h ${folder}`,
    })
    const other = { ...environment, DATABASE_URL: `sqlite:${folder}/other.db` }
    expect(await run(other, "restore", backup)).toMatchObject({ exitCode: 1, stderr: room })
    expect(readdirSync(folder).filter((name) => /backup|unfinished|other\.db$/.test(name))).toStrictEqual([])
    free()
    // If three write probes failed on a busy machine, the service is ready after the next probe, within 5 s.
    await expect.poll(async () => (await ready()).status).toBe(200)
    expect(await run(environment, "serve", "--check")).toMatchObject({ exitCode: 0 })
  })

  it("an import names the folder for temporary files if that folder is full", async ({ skip }) => {
    const full = smallDisk(skip)
    const folder = temporaryFolder()
    const file = join(folder, "pets.csv")
    writeFileSync(file, `name,categoryId\n${`${"x".repeat(1_000)},1\n`.repeat(30_000)}`)
    const environment = environmentIn(folder, { SQLITE_TMPDIR: full })
    const imported = await run(environment, "import", "--all-or-nothing", file)
    expect(imported).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(`Make room: df -h ${full}`) })
  })

  it("an import says how many animals were kept before the disk was full, and from which line to go on", async ({ skip }) => {
    const full = smallDisk(skip, "16m")
    const folder = temporaryFolder()
    const file = join(folder, "pets.csv")
    const rows = 200_000
    writeFileSync(file, `name,categoryId\n${Array.from({ length: rows }, (_, index) => `pet ${index},1\n`).join("")}`)
    const database = { DATABASE_URL: `sqlite:${join(full, "store.db")}` }
    const { exitCode, stderr } = await run(environmentIn(folder, database), "import", file)
    const [, kept, line] = /(\d+) animals were kept, up to line (\d+).*To go on: --after-line/.exec(stderr) ?? []
    // SQLite needs some room to open a store: it is read elsewhere.
    cpSync(full, join(folder, "copy"), { recursive: true })
    using store = new DatabaseSync(join(folder, "copy", "store.db"))
    const stored = Number(store.prepare("SELECT count(*) AS pets FROM pets").get()?.["pets"])
    expect(stored).toBeGreaterThan(0)
    expect([exitCode, Number(kept), Number(line)]).toEqual([1, stored, stored + 1])
  })

  it("an import needs no folder for temporary files but the store's own", async ({ skip }) => {
    if (spawnSync("unshare", ["--mount", "true"]).status !== 0) skip("this user is not allowed to mount a file system")
    const folder = temporaryFolder()
    const file = join(folder, "pets.csv")
    writeFileSync(file, `name,categoryId\n${`${"x".repeat(1_000)},1\n`.repeat(30_000)}`)
    const readOnly = '{ mount --rbind "$1" "$1" && mount -o remount,ro,bind "$1"; }'
    const places = `mount --bind ${folder} ${folder} && for place in /tmp /var/tmp /dev/shm; do set -- "$place"; ${readOnly} || exit 9; done`
    const script = `${places}; cd /tmp && exec "$0" import --all-or-nothing ${file}`
    const imported = await runProgram(environmentIn(folder), "unshare", ["--mount", "sh", "-c", script, commandPath("petstore")])
    expect(imported).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("30000 animals") })
  })

  it("the check and the doctor report that the disk is mounted read-only", async ({ skip }) => {
    const folder = smallDisk(skip)
    const environment = environmentIn(folder, { PORT: "0" })
    await run(environment, "migrate")
    spawnSync("mount", ["-o", "remount,ro", folder])
    const look = `findmnt -T ${folder}; dmesg`
    expect(await run(environment, "serve", "--check")).toMatchObject({
      exitCode: 1,
      stdout: "",
      stderr: expect.stringMatching(new RegExp(`EROFS: read-only.* ${look}\n$`)),
    })
    const examined = await run(environment, "doctor", "--json")
    expect(JSON.parse(examined.stdout)).toContainEqual({
      state: "problem",
      about: "owner",
      finding: `${folder} is on a file system that is mounted read-only.`,
      remedy: `Mount it for writing, or find out why it is not: ${look}`,
    })
  })

  it("an export reports that its last page could not be written, and leaves no file", async ({ skip }) => {
    const folder = smallDisk(skip)
    const environment = environmentIn(temporaryFolder())
    const pets = join(temporaryFolder(), "pets.ndjson")
    writeFileSync(pets, '{"name":"Bello","categoryId":7}')
    expect(await run(environment, "import", pets)).toMatchObject({ exitCode: 0 })
    fill(folder)
    const stderr = expect.stringContaining("The export cannot be written: ENOSPC")
    expect(await run(environment, "export", join(folder, "pets.ndjson"))).toMatchObject({ exitCode: 1, stderr })
    expect(readdirSync(folder)).toEqual(["filler"])
  })

  it("a restore reports the full disk, and changes nothing if the store's log cannot be applied", async ({ skip }) => {
    const folder = smallDisk(skip)
    const environment = environmentIn(folder)
    await run(environment, "accounts", "create", "shop")
    await run(environment, "keys", "create", "shop")
    const backup = join(temporaryFolder(), "backup.db")
    expect(await run(environment, "backup", backup)).toMatchObject({ exitCode: 0 })
    const store = join(folder, "petstore.db")
    // A killed service leaves a log of writes, and the disk has no room to move them to the store's file.
    const writer = new DatabaseSync(store)
    writer.exec(`PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
      INSERT INTO pets (name, category_id) SELECT printf('%01000d', i), 1 FROM n`)
    for (const part of ["", "-wal"]) copyFileSync(`${store}${part}`, `${backup}.${part}`)
    writer.close()
    for (const part of ["", "-wal"]) copyFileSync(`${backup}.${part}`, `${store}${part}`)
    const { bfree, bsize } = statfsSync(folder)
    const room = statSync(backup).size + 40 * bsize
    writeFileSync(join(folder, "filler"), Buffer.alloc(bfree * bsize - room, 1))
    const restored = await run(environment, "restore", "--replace", backup)
    expect(restored).toMatchObject({ exitCode: 1, stdout: "", stderr: expect.stringContaining(`df -h ${folder}`) })
    expect(readdirSync(folder).filter((name) => name.includes("restor"))).toStrictEqual([])
    rmSync(join(folder, "filler"))
    const pets = new DatabaseSync(store).prepare("SELECT count(*) AS pets FROM pets").get()
    expect(pets).toEqual({ pets: 300 })
  })
})

it("/readyz returns 503 after the store's file was removed", async () => {
  const folder = temporaryFolder()
  const service = await serve(environmentIn(folder))
  rmSync(join(folder, "petstore.db"))
  const response = await fetch(service.baseUrl.replace(/v1$/, "readyz"))
  const message = "The store's file was removed or replaced. The service restarts once the new file is complete."
  expect({ status: response.status, body: await response.json() }).toEqual({
    status: 503,
    body: { code: "storage_unavailable", message, status: 503 },
  })
})

it("petstore serve --check fails if the port is in use", async () => {
  const port = await freePort()
  const server = createServer().listen(port, "127.0.0.1")
  onTestFinished(() => void server.close())
  await once(server, "listening")
  const { exitCode, stdout, stderr } = await run(environmentIn(temporaryFolder(), { PORT: String(port) }), "serve", "--check")
  expect({ exitCode, stdout, stderr }).toEqual({
    exitCode: 1,
    stdout: "",
    stderr: expect.stringContaining("is in use by another program"),
  })
})
