import { once } from "node:events"
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { setTimeout as pause } from "node:timers/promises"
import { openWorkplace } from "@petstore/harness/testing"
import { describe, expect, it } from "vitest"

const awkward = [
  '{"name":"say \\"hi\\", twice","categoryId":9223372036854775807,"status":"available"}',
  '{"name":"two\\r\\nlines","categoryId":-9223372036854775808}',
  '{"name":"line\u2028separator","categoryId":9007199254740993,"status":"sold"}',
  '{"name":"=HYPERLINK(\\"x\\")","categoryId":0,"status":"pending"}',
  '{"name":"\uFEFFmark ","categoryId":1}',
  '{"name":"cr\\r","categoryId":1}',
]

const made = new Map<string, Buffer>()

/** A folder with a store that contains the awkward pets, prepared once. */
const filled = async () => {
  const place = openWorkplace()
  for (const [name, bytes] of made) writeFileSync(place.path(name), bytes, { mode: 0o600 })
  if (made.size === 0) {
    writeFileSync(place.path("given.ndjson"), awkward.join("\n"))
    await place.run(["import", "given.ndjson"])
    for (const name of readdirSync(place.folder)) made.set(name, readFileSync(place.path(name)))
  }
  return place
}

const withIds = awkward.map((row, index) => `{"id":${index + 1},${row.slice(1)}\n`).join("")

describe("petstore export", () => {
  it("writes NDJSON to standard output", async () => {
    const place = await filled()
    expect(await place.run(["export", "-"])).toEqual({ exitCode: 0, stdout: withIds, stderr: "" })
  })

  it.each([[["export", "-"]], [["keys", "list"]], [["export", "out.ndjson"]]])(
    "reports a closed standard output in one line: %s",
    async (args) => {
      const place = await filled()
      const child = place.start(args)
      child.stdout.destroy()
      let said = ""
      child.stderr.on("data", (text) => {
        said += text
      })
      const [exitCode] = await once(child, "close")
      expect({ exitCode, lines: said.trimEnd().split("\n").slice(1) }).toEqual({
        exitCode: 1,
        lines: [expect.stringMatching(/^petstore: .*Standard output cannot be written: its reader has closed it\.$/)],
      })
    },
  )

  it("writes several pages of orders as the service returns them, and only as NDJSON", async () => {
    const place = await filled()
    const insert = `
      WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 2001)
      INSERT INTO orders (pet_id, status, created_at, updated_at) SELECT 1, 'cancelled', 1767323045678 + n, 1767323045678 FROM numbers`
    const file = new DatabaseSync(place.path("store.db"))
    file.exec(insert)
    file.close()
    const { stdout } = await place.run(["export", "--orders", "orders.ndjson", "--json"])
    expect(JSON.parse(stdout)).toEqual({ exported: 2001, file: "orders.ndjson" })
    const rows = readFileSync(place.path("orders.ndjson"), "utf8").trimEnd().split("\n")
    expect(rows[0]).toBe(
      '{"id":1,"petId":1,"status":"cancelled","createdAt":"2026-01-02T03:04:05.679Z","updatedAt":"2026-01-02T03:04:05.678Z"}',
    )
    expect(rows.map((row) => JSON.parse(row).id)).toStrictEqual(Array.from({ length: 2001 }, (_, index) => index + 1))
    const refused = await place.run(["export", "--orders", "orders.csv"])
    expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("Orders are written as NDJSON") })
  })

  it("writes CSV with exactly the store's content", async () => {
    const place = await filled()
    const { stdout } = await place.run(["export", "out.csv", "--json"])
    expect(JSON.parse(stdout)).toEqual({ exported: 6, file: "out.csv" })
    expect(readFileSync(place.path("out.csv"), "utf8")).toBe(
      [
        "id,name,categoryId,status",
        '1,"say ""hi"", twice",9223372036854775807,available',
        '2,"two\r\nlines",-9223372036854775808,',
        "3,line\u2028separator,9007199254740993,sold",
        '4,"=HYPERLINK(""x"")",0,pending',
        "5,\uFEFFmark ,1,",
        '6,"cr\r",1,',
        "",
      ].join("\n"),
    )
  })

  it.each(["out.ndjson", "out.csv"])("writes %s from which an import creates the same pets", async (name) => {
    const place = await filled()
    await place.run(["export", name])
    const other = openWorkplace()
    expect(await other.run(["import", place.path(name)])).toMatchObject({ exitCode: 0 })
    expect((await other.run(["export", "-"])).stdout).toBe(withIds)
  })

  it("writes several pages of pets, each pet once, sorted by identifier", async () => {
    const place = openWorkplace()
    writeFileSync(
      place.path("many.csv"),
      `name,categoryId\n${Array.from({ length: 2_000 }, (_, i) => `pet ${i},${i}\n`).join("")}`,
    )
    await place.run(["import", "many.csv"])
    const { stdout } = await place.run(["export", "-"])
    expect(
      stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line).categoryId),
    ).toEqual(Array.from({ length: 2_000 }, (_, i) => i))
  })

  it("replaces a file, even through a symbolic link, and leaves no other file", async () => {
    const place = await filled()
    writeFileSync(place.path("real.ndjson"), "old")
    symlinkSync("real.ndjson", place.path("link.ndjson"))
    const before = readdirSync(place.folder)
    expect(await place.run(["export", "link.ndjson", "--replace"])).toMatchObject({ exitCode: 0 })
    expect(readFileSync(place.path("real.ndjson"), "utf8")).toBe(withIds)
    expect(readdirSync(place.folder)).toEqual(before)
  })

  it("leaves the old file unchanged if the export is killed", async () => {
    const place = await filled()
    const file = new DatabaseSync(place.path("store.db"))
    file.exec(`
      WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 200000)
      INSERT INTO pets (name, category_id) SELECT 'pet', n FROM numbers`)
    file.close()
    writeFileSync(place.path("out.ndjson"), "old")
    const child = place.start(["export", "out.ndjson", "--replace"])
    while (!readdirSync(place.folder).some((name) => name.endsWith(".partial"))) await pause(1)
    child.kill("SIGKILL")
    await once(child, "close")
    expect(readFileSync(place.path("out.ndjson"), "utf8")).toBe("old")
  })

  it("refuses a path that is not a file, and says why", async () => {
    const place = await filled()
    mkdirSync(place.path("folder"))
    expect(await place.run(["export", "folder", "--format", "csv"])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("folder is not a regular file"),
    })
    expect(await place.run(["export", "/dev/null", "--format", "csv"])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("/dev/null is not a regular file"),
    })
    expect(await place.run(["export", "none/out.csv"])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("There is no folder"),
    })
    expect(await place.run(["export", "-", "--json"])).toMatchObject({ exitCode: 2, stdout: "" })
  })
})
