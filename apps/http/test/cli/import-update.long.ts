/** `petstore import --update`: corrections of existing pets from a file. */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { openWorkplace } from "@petstore/harness/testing"
import { expect, it } from "vitest"

/** A store with three pets. An order holds the second one. */
const stocked = async () => {
  const place = openWorkplace()
  const pets = ["Bello", "Mia", "Rex"].map((name) => JSON.stringify({ name, categoryId: 1, status: "available" }))
  writeFileSync(place.path("pets.ndjson"), pets.join("\n"))
  await place.run(["import", "pets.ndjson"])
  const file = new DatabaseSync(place.path("store.db"))
  file.exec(`UPDATE pets SET status = 'pending', reserved = 1 WHERE id = 2;
    INSERT INTO orders (pet_id, status, created_at, updated_at) VALUES (2, 'placed', 0, 0)`)
  file.close()
  const kept = (): ReadonlyArray<unknown> => {
    const store = new DatabaseSync(place.path("store.db"), { readOnly: true })
    try {
      return store
        .prepare("SELECT id, name, category_id, status FROM pets ORDER BY id")
        .all()
        .map((row) => Object.values(row))
    } finally {
      store.close()
    }
  }
  const update = async (name: string, content: string, ...options: ReadonlyArray<string>) => {
    writeFileSync(place.path(name), content)
    const ended = await place.run(["import", "--update", name, ...options])
    return { ...ended, kept: kept() }
  }
  return { ...place, update }
}

const [bello, mia, rex] = [
  [1, "Bello", 1, "available"],
  [2, "Mia", 1, "pending"],
  [3, "Rex", 1, "available"],
]

it("import --update corrects the given columns, keeps absent ones, and removes a status whose cell is empty", async () => {
  const { update } = await stocked()
  const names = await update("names.csv", "name,id,colour\nBella,1,red\n Mia ,2,\n")
  expect(names).toMatchObject({ exitCode: 0, stdout: "2 animals read, 2 kept, 0 rejected.\n" })
  expect(names.kept).toEqual([[1, "Bella", 1, "available"], [2, " Mia ", 1, "pending"], rex])
  const statuses = await update(
    "statuses.csv",
    "id;status;Kategorie\n1;;7\n3;sold;8\n",
    "--delimiter",
    ";",
    "--columns",
    "categoryId=Kategorie",
  )
  expect(statuses.kept).toEqual([
    [1, "Bella", 7, null],
    [2, " Mia ", 1, "pending"],
    [3, "Rex", 8, "sold"],
  ])
})

it("import --update rejects an unknown or missing id, an empty name, and a status that a reserved pet cannot take", async () => {
  const { update, path } = await stocked()
  const csv = 'id,name,status\n9,Ghost,\n,No name,\n1,,sold\n2,Mia,available\nx,Rex,\n3,Max,sold\n1,"Be\nlla",lost\n'
  const { exitCode, stdout, kept } = await update("pets.csv", csv, "--json", "--rejected", "bad.csv")
  expect(exitCode).toBe(1)
  const { rejections, ...counts } = JSON.parse(stdout)
  expect(counts).toEqual({ read: 7, kept: 1, rejected: 6 })
  const reasons = new Map(rejections.map(({ line, reason }: { line: number; reason: string }) => [line, reason]))
  expect([...reasons.keys()].toSorted()).toEqual([2, 3, 4, 5, 6, 8])
  expect(reasons.get(2)).toBe("No pet has the identifier 9.")
  expect(reasons.get(3)).toMatch(/^id: expected an integer/)
  expect(reasons.get(4)).toMatch(/^name: expected a string of 1 to 1024/)
  expect(reasons.get(5)).toMatch(/^A placed order holds the pet 2\./)
  expect(kept).toEqual([bello, mia, [3, "Max", 1, "sold"]])

  const rejected = readFileSync(path("bad.csv"), "utf8")
  expect(rejected.split("\n")[0]).toBe("rejectedBecause,id,name,status")
  const mended = rejected.replace("9,Ghost", "1,Ghost")
  expect((await update("mended.csv", mended)).kept).toEqual([[1, "Ghost", 1, null], mia, [3, "Max", 1, "sold"]])
})

it("import --update treats an NDJSON row like a PATCH body, and applies rows with one id in the order of the file", async () => {
  const { update } = await stocked()
  const lines = [
    '{"id":1,"name":"first"}',
    '{"id":1,"name":"second","status":"sold"}',
    '{"id":1,"status":null,"colour":"red"}',
    '{"id":3}',
    '{"id":"3","name":"text"}',
    '{"id":3,"name":null}',
    '{"id":2,"status":"pending","categoryId":7}',
  ]
  const { stdout, stderr, kept } = await update("pets.ndjson", lines.join("\n"))
  expect(stdout).toBe("7 animals read, 5 kept, 2 rejected.\n")
  expect(stderr).toMatch(/^line 5: id: /m)
  expect(stderr).toMatch(/^line 6: name: /m)
  expect(kept[0]).toEqual([1, "second", 1, null])
  expect(kept[2]).toEqual(rex)
})

it("import --update does not create a store, even with --dry-run", async () => {
  const place = openWorkplace()
  writeFileSync(place.path("pets.csv"), "id,name\n1,Bello\n2,\n")
  const missing = await place.run(["import", "--update", "pets.csv"])
  expect(missing.exitCode).toBe(1)
  expect(await place.run(["import", "--update", "pets.csv", "--dry-run"])).toMatchObject({ exitCode: 1 })
  expect(existsSync(place.path("store.db"))).toBe(false)
})

it("import --update refuses a header without id or with two, and says what to pass", async () => {
  const { update } = await stocked()
  for (const [header, hint] of [
    ["name", "--columns id=HEADER"],
    ["id,id,name", "it names id more than once"],
  ] as const) {
    const cells = header.replaceAll(/[^,;]+/g, "1")
    const { exitCode, stderr, kept } = await update("pets.csv", `${header}\n${cells}\n`)
    expect(stderr).toContain(hint)
    expect(exitCode).toBe(1)
    expect(kept).toEqual([bello, mia, rex])
  }
})

it("import --update refuses incompatible options", async () => {
  const { update, run } = await stocked()
  for (const option of ["--categories", "--all-or-nothing"]) {
    expect((await update("pets.csv", "id,name\n1,x\n", option)).exitCode).toBe(2)
  }
  const { exitCode, stderr } = await run(["import", "pets.csv", "--columns", "id=number"])
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining("--columns id is for --update")])
})

it("import --update corrects more rows than fit in a transaction", async () => {
  const { update } = await stocked()
  const rows = Array.from({ length: 20_001 }, (_, index) => `${1 + (index % 3)},pet ${index}`)
  const { stdout, kept } = await update("pets.csv", `id,name\n${rows.join("\n")}\n`)
  expect(stdout).toBe("20001 animals read, 20001 kept, 0 rejected.\n")
  expect(kept.map((row) => (row as ReadonlyArray<unknown>)[1])).toEqual(["pet 19998", "pet 19999", "pet 20000"])
})
