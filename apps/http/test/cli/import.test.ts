import { once } from "node:events"
import { createWriteStream, writeFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { openWorkplace } from "@petstore/harness/testing"
import { describe, expect, it } from "vitest"

type Workplace = ReturnType<typeof openWorkplace>

/** The pets of the store, read past all of our code. */
const kept = ({ path }: Workplace) => {
  const store = new DatabaseSync(path("store.db"), { readOnly: true })
  try {
    const rows = store.prepare("SELECT name, category_id, status FROM pets ORDER BY id")
    rows.setReadBigInts(true)
    return rows.all().map((row) => ({ ...row }))
  } finally {
    store.close()
  }
}

const importing = async (name: string, content: string | Buffer, ...options: ReadonlyArray<string>) => {
  const place = openWorkplace()
  writeFileSync(place.path(name), content)
  return { ...(await place.run(["import", name, ...options])), pets: kept(place) }
}

describe("petstore import of NDJSON", () => {
  it("keeps every row exactly", async () => {
    const names = ['say "hi"', "two\nlines", "line\u2028separator", " spaced ", "🐈", "=1+1"]
    const rows = names.map((name) => `{"name":${JSON.stringify(name)},"categoryId":9223372036854775807,"status":"sold"}`)
    const { exitCode, pets, stdout } = await importing("pets.ndjson", rows.join("\n"))
    expect(pets).toEqual(names.map((name) => ({ name, category_id: 9223372036854775807n, status: "sold" })))
    expect(stdout).toBe("6 animals read, 6 kept, 0 rejected.\n")
    expect(exitCode).toBe(0)
  })

  it("keeps an absent status absent, and ignores id and unknown members", async () => {
    const { pets } = await importing("pets.jsonl", '{"id":77,"name":"Bello","categoryId":1,"colour":"red"}\n')
    expect(pets).toEqual([{ name: "Bello", category_id: 1n, status: null }])
  })

  it("rejects what POST would reject, with line and reason, and keeps the rest", async () => {
    const lines = [
      '{"name":"first","categoryId":1}',
      '{"name":"","categoryId":1}',
      "",
      '{"categoryId":1.5,"status":"lost"}',
      "not json",
      "[1]",
      '{"name":"last","categoryId":1}\r',
    ]
    const { exitCode, pets, stderr, stdout } = await importing("pets.ndjson", lines.join("\n"), "--json")
    expect(pets.map(({ name }) => name)).toEqual(["first", "last"])
    expect(exitCode).toBe(1)
    const { rejections, ...counts } = JSON.parse(stdout)
    expect(counts).toEqual({ read: 6, kept: 2, rejected: 4 })
    expect(rejections.map(({ line }: { line: number }) => line)).toEqual([2, 4, 5, 6])
    expect(rejections[1].reason).toBe(
      'name: is required, got nothing; categoryId: expected an integer from -9223372036854775808 to 9223372036854775807, got 1.5; status: expected one of available, pending, sold, got "lost".',
    )
    expect(stderr).toContain("line 5: not valid JSON")
    expect(stderr).toContain("4 of 6 rows were rejected")
  })

  it("tolerates a byte order mark, and an empty file", async () => {
    const marked = await importing("pets.ndjson", '\uFEFF{"name":"Bello","categoryId":1}\n')
    expect(marked.pets).toHaveLength(1)
    const empty = await importing("empty.ndjson", "")
    expect(empty).toMatchObject({ exitCode: 0, stdout: "0 animals read, 0 kept, 0 rejected.\n", pets: [] })
  })

  it("rejects a line that is not UTF-8 or too long, alone", async () => {
    const content = Buffer.concat([
      Buffer.from('{"name":"\xff","categoryId":1}\n', "latin1"),
      Buffer.from(`{"name":"${"x".repeat(200_000)}","categoryId":1}\n`),
      Buffer.from('{"name":"good","categoryId":1}\n'),
    ])
    const { pets, stderr } = await importing("pets.ndjson", content)
    expect(pets.map(({ name }) => name)).toEqual(["good"])
    expect(stderr).toContain("line 1: the line is not UTF-8\n")
    expect(stderr).toContain("line 2: the line is longer than 65536 bytes\n")
  })

  it("shows a hundred rejections and counts the others", async () => {
    const { stderr, stdout } = await importing("pets.ndjson", "bad\n".repeat(250), "--json")
    expect(stderr.match(/^line /gm)).toHaveLength(100)
    expect(stderr).toContain("150 more rows were rejected.")
    expect(JSON.parse(stdout)).toMatchObject({ rejected: 250 })
  })
})

describe("petstore import of CSV", () => {
  it("reads quoted cells, columns in any order, CRLF and a byte order mark", async () => {
    const csv =
      '\uFEFFstatus,id,categoryId,name\r\nsold,1,9007199254740993,"a ""b"", c"\r\n,2,-5,"two\r\nlines"\r\n\r\npending,3,0, x \r\n'
    const { exitCode, pets, stderr } = await importing("pets.csv", csv)
    expect(stderr).toBe("")
    expect(exitCode).toBe(0)
    expect(pets).toEqual([
      { name: 'a "b", c', category_id: 9007199254740993n, status: "sold" },
      { name: "two\r\nlines", category_id: -5n, status: null },
      { name: " x ", category_id: 0n, status: "pending" },
    ])
  })

  it("reports a rejected record by the line on which it starts", async () => {
    const csv = 'name,categoryId\n"a\nb",1\n"c\nd",1.0\ne,+1\n,1\n"f"x,1\ng"h,1\ni\nj,1,2\nk,9223372036854775808\nl,1\n'
    const { exitCode, pets, stderr } = await importing("pets.csv", csv)
    expect(pets.map(({ name }) => name)).toEqual(["a\nb", "l"])
    expect(stderr.match(/^line [0-9]+/gm)).toEqual([4, 6, 7, 8, 9, 10, 11, 12].map((line) => `line ${line}`))
    expect(exitCode).toBe(1)
  })

  it("bounds the harm of a quote that is never closed", async () => {
    const rows = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => `pet ${from + index},1\n`).join("")
    const { pets, stderr } = await importing("pets.csv", `name,categoryId\ngood,1\n"open,1\n${rows(0, 20_000)}`)
    expect(stderr).toMatch(/^line 3: the record is longer than 65536 characters: lines 3 to [0-9]+ are not read$/m)
    expect(pets.length).toBeGreaterThan(10_000)
    expect(pets.at(-1)).toMatchObject({ name: "pet 19999" })
  })

  it("refuses a header without the columns it needs", async () => {
    for (const header of ["name,category", "name,name,categoryId", '"name']) {
      const { exitCode, pets, stderr } = await importing("pets.csv", `${header}\na,1,2\n`)
      expect(stderr).toContain("header")
      expect([exitCode, pets]).toEqual([1, []])
    }
  })
})

describe("petstore import --all-or-nothing", () => {
  it("keeps nothing if one row is bad", async () => {
    const good = '{"name":"good","categoryId":1}\n'
    const { exitCode, pets, stdout } = await importing("pets.ndjson", `${good.repeat(3_000)}bad\n`, "--all-or-nothing", "--json")
    expect(pets).toEqual([])
    expect(exitCode).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({ read: 3_001, kept: 0, rejected: 1, rejections: [{ line: 3_001 }] })
  })

  it("keeps all if every row is good, in the order of the file", async () => {
    const rows = Array.from({ length: 2_500 }, (_, index) => `{"name":"pet ${index}","categoryId":${index}}\n`)
    const { exitCode, pets } = await importing("pets.ndjson", rows.join(""), "--all-or-nothing")
    expect(exitCode).toBe(0)
    expect(pets.map(({ name }) => name)).toEqual(rows.map((_, index) => `pet ${index}`))
  })

  it("refuses what it cannot read twice", async () => {
    const place = openWorkplace()
    const { exitCode, stderr } = await place.run(["import", "-", "--format", "ndjson", "--all-or-nothing"])
    expect(stderr).toContain("twice")
    expect(exitCode).toBe(2)
  })
})

describe("petstore import", () => {
  it("reads standard input", async () => {
    const place = openWorkplace()
    await place.run(["import", "-", "--format", "ndjson"], '{"name":"Bello","categoryId":1}\n')
    expect(kept(place)).toHaveLength(1)
  })

  it("says what is wrong with the file it was given", async () => {
    const place = openWorkplace()
    expect(await place.run(["import", "none.csv"])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("no such file"),
    })
    expect(await place.run(["import", "pets.txt"])).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("--format") })
    expect(await place.run(["import", ".", "--format", "csv"])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("directory"),
    })
    expect(await place.run(["import", "pets.txt", "--format", "xml"])).toMatchObject({ exitCode: 2 })
  })

  it("shows its progress in lines, and stays within bounded memory", async () => {
    const place = openWorkplace()
    const file = createWriteStream(place.path("many.ndjson"))
    for (let thousand = 0; thousand < 200; thousand += 1) {
      file.write(
        Array.from({ length: 1_000 }, (_, index) => `{"name":"pet ${thousand * 1_000 + index}","categoryId":1}\n`).join(""),
      )
    }
    await once(file.end(), "close")
    const child = place.start(["import", "many.ndjson"], { NODE_OPTIONS: `--import=data:text/javascript,${report}` })
    let said = ""
    child.stderr.on("data", (chunk) => {
      said += chunk
    })
    await once(child, "close")
    expect(said).toMatch(/import: 10[0-9]{4} animals/)
    expect(kept(place)).toHaveLength(200_000)
    expect(Number(/maxRSS=([0-9]+)/.exec(said)?.[1])).toBeLessThan(300_000)
  })
})

/** Says the largest resident set, in kB, when the process ends. */
const report = encodeURIComponent('process.on("exit",()=>process.stderr.write("maxRSS="+process.resourceUsage().maxRSS+"\\n"))')
