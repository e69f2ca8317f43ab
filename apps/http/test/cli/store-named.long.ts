/** Commands name their store, and do not create or overwrite anything unless asked. */
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { openWorkplace } from "@petstore/harness/testing"
import { describe, expect, it } from "vitest"

let store: Buffer | undefined

/** A folder with a store that contains one pet, prepared once. */
const filled = async () => {
  const place = openWorkplace()
  writeFileSync(place.path("one.ndjson"), '{"name":"Bello","categoryId":1}\n')
  if (store === undefined) {
    await place.run(["import", "one.ndjson"])
    store = readFileSync(place.path("store.db"))
  } else writeFileSync(place.path("store.db"), store, { mode: 0o600 })
  return place
}

describe("a command", () => {
  it.each([
    ["accounts", "list"],
    ["keys", "list"],
    ["keys", "revoke", "key_1"],
    ["deprecations"],
    ["export", "out.ndjson"],
    ["backup", "out.db"],
  ])("that needs a store does not create one: %s %s", async (...args) => {
    const place = openWorkplace()
    const { exitCode, stdout, stderr } = await place.run(args)
    expect({ exitCode, stdout, lines: stderr.trimEnd().split("\n").length }).toEqual({ exitCode: 1, stdout: "", lines: 1 })
    expect(stderr).toContain("There is no store at store.db")
    expect(stderr).toContain(`the folder ${place.folder} has no file store.db`)
    expect(stderr).toContain("petstore migrate")
    expect(readdirSync(place.folder)).toEqual([])
  })

  it("does not create a folder for a store that must exist, and refuses an empty file", async () => {
    const place = openWorkplace({ DATABASE_URL: "sqlite:data/store.db" })
    expect((await place.run(["accounts", "list"])).stderr).toContain(`the folder ${place.path("data")} does not exist`)
    expect(readdirSync(place.folder)).toEqual([])
    mkdirSync(place.path("data"))
    writeFileSync(place.path("data/store.db"), "")
    const { exitCode, stderr } = await place.run(["accounts", "list"])
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining("store.db in the folder") })
    expect(readFileSync(place.path("data/store.db"), "utf8")).toBe("")
  })

  it.each([["migrate"], ["accounts", "create", "shop"], ["import", "one.ndjson"]])(
    "reports that it created the store: %s",
    async (...args) => {
      const place = openWorkplace()
      writeFileSync(place.path("one.ndjson"), '{"name":"Bello","categoryId":1}\n')
      const made = await place.hear(args)
      expect(made).toMatchObject({ exitCode: 0, stderr: `petstore: created a new store: sqlite:${place.path("store.db")}\n` })
      const used = await place.hear(["keys", "list"])
      expect(used).toMatchObject({ exitCode: 0, stderr: `petstore: store: sqlite:${place.path("store.db")}\n` })
    },
  )

  it("treats a store name that begins with file: as a file name, not as a URI", async () => {
    const place = openWorkplace({ DATABASE_URL: "sqlite:file:store.db" })
    expect(await place.run(["migrate"])).toMatchObject({ exitCode: 0 })
    expect(readdirSync(place.folder).toSorted()).toEqual(["file:store.db", "file:store.db-users"])
  })

  it("masks the password when it names a PostgreSQL store, even an unavailable one", async () => {
    const place = openWorkplace({ DATABASE_URL: "postgres://ann:secret@127.0.0.1:1/pets?password=secret" })
    const { exitCode, stderr } = await place.run(["accounts", "list"])
    expect(exitCode).toBe(75)
    expect(stderr).toContain("postgres://ann:***@127.0.0.1:1/pets")
    expect(stderr).not.toContain("secret")
  })

  it("names its store on standard error, not on standard output", async () => {
    const place = await filled()
    const { stdout } = await place.run(["export", "-"])
    expect(stdout).toBe('{"id":1,"name":"Bello","categoryId":1}\n')
  })
})

describe.each([
  ["export", "out.ndjson"],
  ["backup", "out.db"],
])("%s %s", (command, file) => {
  it("refuses an existing file, and replaces it with --replace", async () => {
    const place = await filled()
    writeFileSync(place.path(file), "precious")
    const refused = await place.run([command, file])
    expect(refused).toMatchObject({ exitCode: 1, stdout: "", stderr: expect.stringContaining("--replace") })
    expect(refused.stderr).toContain(file)
    expect(readFileSync(place.path(file), "utf8")).toBe("precious")
    expect(await place.run([command, file, "--replace"])).toMatchObject({ exitCode: 0 })
    expect(readFileSync(place.path(file), "latin1")).not.toBe("precious")
  })

  it("refuses to overwrite the store, even with --replace or through a link", async () => {
    const place = await filled()
    const before = readFileSync(place.path("store.db"))
    symlinkSync("store.db", place.path("link.db"))
    const format = command === "export" ? ["--format", "ndjson"] : []
    for (const target of ["store.db", "link.db", "store.db-wal", "store.db-users"]) {
      const { exitCode, stderr } = await place.run([command, target, "--replace", ...format])
      expect({ target, exitCode, stderr }).toEqual({ target, exitCode: 2, stderr: expect.stringContaining("part of the store") })
    }
    expect(readFileSync(place.path("store.db"))).toEqual(before)
  })

  it("does not create a missing folder, and names it", async () => {
    const place = await filled()
    const { exitCode, stderr } = await place.run([command, `no/such/${file}`])
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining(`mkdir -p ${place.path("no/such")}`) })
    expect(existsSync(place.path("no"))).toBe(false)
  })
})

describe("petstore export", () => {
  it.each(["out.xlsx", "out", "out.csv.gz", "out.tsv", "out.json"])(
    "refuses %s before it opens any file, if no format is given",
    async (name) => {
      const place = openWorkplace()
      const { exitCode, stderr } = await place.run(["export", name])
      expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringMatching(/\.ndjson.*\.csv.*--format/) })
      expect(readdirSync(place.folder)).toEqual([])
    },
  )

  it("accepts any file name if a format is given", async () => {
    const place = await filled()
    expect(await place.run(["export", "out.txt", "--format", "csv"])).toMatchObject({ exitCode: 0 })
    expect(readFileSync(place.path("out.txt"), "utf8")).toBe("id,name,categoryId,status\n1,Bello,1,\n")
  })
})

describe("petstore backup --replace", () => {
  it("keeps the previous backup if the new one fails", async () => {
    const place = await filled()
    await place.run(["backup", "out.db"])
    const before = readFileSync(place.path("out.db"))
    const file = new DatabaseSync(place.path("store.db"))
    file.exec("PRAGMA journal_mode = DELETE")
    file.close()
    const damaged = readFileSync(place.path("store.db")).fill(0xff, 100, 4096)
    writeFileSync(place.path("store.db"), damaged)
    expect((await place.run(["backup", "out.db", "--replace"])).exitCode).toBe(1)
    expect(readFileSync(place.path("out.db"))).toEqual(before)
    expect(readdirSync(place.folder).filter((name) => name.includes("unfinished"))).toEqual([])
  })
})
