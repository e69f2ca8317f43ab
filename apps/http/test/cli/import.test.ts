import { once } from "node:events"
import { createWriteStream, existsSync, readFileSync, writeFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { openWorkplace } from "@petstore/harness/testing"
import { describe, expect, it } from "vitest"

type Workplace = ReturnType<typeof openWorkplace>

/** Columns of the store's pets, read without our code. */
const columnsOf = ({ path }: Workplace, columns: string, table = "pets ORDER BY id") => {
  const store = new DatabaseSync(path("store.db"), { readOnly: true })
  try {
    const rows = store.prepare(`SELECT ${columns} FROM ${table}`)
    rows.setReadBigInts(true)
    return rows.all().map((row) => ({ ...row }))
  } finally {
    store.close()
  }
}

const kept = (place: Workplace) => columnsOf(place, "name, category_id, status")

const words = (place: Workplace) => columnsOf(place, "words", "pet_words").map((row) => row["words"])

const importing = async (name: string, content: string | Buffer, ...options: ReadonlyArray<string>) => {
  const place = openWorkplace()
  writeFileSync(place.path(name), content)
  return { ...(await place.run(["import", name, ...options])), pets: kept(place) }
}

describe("petstore import of NDJSON", () => {
  it("stores every row exactly", async () => {
    const names = ['say "hi"', "two\nlines", "line\u2028separator", " spaced ", "🐈", "=1+1"]
    const rows = names.map((name) => `{"name":${JSON.stringify(name)},"categoryId":9223372036854775807,"status":"sold"}`)
    const { exitCode, pets, stdout } = await importing("pets.ndjson", rows.join("\n"))
    expect(pets).toEqual(names.map((name) => ({ name, category_id: 9223372036854775807n, status: "sold" })))
    expect(stdout).toBe("6 animals read, 6 kept, 0 rejected.\n")
    expect(exitCode).toBe(0)
  })

  it("leaves an absent status absent, and ignores id and unknown members", async () => {
    const { pets } = await importing("pets.jsonl", '{"id":77,"name":"Bello","categoryId":1,"colour":"red"}\n')
    expect(pets).toEqual([{ name: "Bello", category_id: 1n, status: null }])
  })

  it("rejects the rows that POST would reject, reports the line and the reason of each, and stores the others", async () => {
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

  it("rejects only the lines that are too long or not UTF-8", async () => {
    const content = Buffer.concat([
      Buffer.from('{"name":"\xff","categoryId":1}\n', "latin1"),
      Buffer.from(`{"name":"${"x".repeat(200_000)}","categoryId":1}\n`),
      Buffer.from('{"name":"good","categoryId":1}\n'),
    ])
    const { pets, stderr } = await importing("pets.ndjson", content)
    expect(pets.map(({ name }) => name)).toEqual(["good"])
    expect(stderr).toContain(
      "line 1: the line is not UTF-8, but looks like Latin-1: convert the file (iconv -f ISO-8859-1 -t UTF-8)\n",
    )
    expect(stderr).toContain("line 2: the line is longer than 65536 bytes\n")
  })

  it("shows a hundred rejections and counts the rest", async () => {
    const { stderr, stdout } = await importing("pets.ndjson", "bad\n".repeat(250), "--json")
    expect(stderr.match(/^line /gm)).toHaveLength(100)
    expect(stderr).toContain("150 more rows were rejected.")
    expect(JSON.parse(stdout)).toMatchObject({ rejected: 250 })
  })
})

describe("petstore import of CSV", () => {
  it("accepts quoted cells, columns in any order, CRLF and a byte order mark", async () => {
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

  it("limits how many rows an unclosed quote affects", async () => {
    const rows = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => `pet ${from + index},1\n`).join("")
    const { pets, stderr } = await importing("pets.csv", `name,categoryId\ngood,1\n"open,1\n${rows(0, 20_000)}`)
    expect(stderr).toMatch(/^line 3: the record is longer than 65536 characters: lines 3 to [0-9]+ are not read$/m)
    expect(pets.length).toBeGreaterThan(10_000)
    expect(pets.at(-1)).toMatchObject({ name: "pet 19999" })
  })

  it("refuses a header without the required columns", async () => {
    for (const header of ["name,category", "name,name,categoryId", '"name']) {
      const { exitCode, pets, stderr } = await importing("pets.csv", `${header}\na,1,2\n`)
      expect(stderr).toContain("header")
      expect([exitCode, pets]).toEqual([1, []])
    }
  })
})

describe("petstore import --all-or-nothing", () => {
  it("stores nothing if one row is invalid", async () => {
    const good = '{"name":"good","categoryId":1}\n'
    const { exitCode, pets, stdout } = await importing("pets.ndjson", `${good.repeat(3_000)}bad\n`, "--all-or-nothing", "--json")
    expect(pets).toEqual([])
    expect(exitCode).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({ read: 3_001, kept: 0, rejected: 1, rejections: [{ line: 3_001 }] })
  })

  it("stores all rows in the order of the file if every row is valid", async () => {
    const rows = Array.from({ length: 2_500 }, (_, index) => `{"name":"pet ${index}","categoryId":${index}}\n`)
    const { exitCode, pets } = await importing("pets.ndjson", rows.join(""), "--all-or-nothing")
    expect(exitCode).toBe(0)
    expect(pets.map(({ name }) => name)).toEqual(rows.map((_, index) => `pet ${index}`))
  })

  it("refuses standard input, which it cannot read twice", async () => {
    const place = openWorkplace()
    const { exitCode, stderr } = await place.run(["import", "-", "--format", "ndjson", "--all-or-nothing"])
    expect(stderr).toContain("twice")
    expect(exitCode).toBe(2)
  })
})

describe("petstore import --dry-run", () => {
  it("reports how many rows it would keep, exits with the import's code, and creates no store", async () => {
    const place = openWorkplace()
    writeFileSync(place.path("pets.csv"), "name,categoryId\nBello,1\n,1\n")
    const checked = await place.run(["import", "pets.csv", "--dry-run", "--json"])
    const rejection = { line: 3, reason: expect.stringContaining("name: ") }
    expect(checked.exitCode).toBe(1)
    expect(JSON.parse(checked.stdout)).toEqual({ dryRun: true, read: 2, wouldBeKept: 1, rejected: 1, rejections: [rejection] })
    writeFileSync(place.path("pets.csv"), "name,categoryId\nBello,1\n")
    expect(await place.run(["import", "pets.csv", "--dry-run"])).toMatchObject({
      exitCode: 0,
      stdout: "1 animal read, 1 would be kept, 0 rejected.\n",
    })
    expect(existsSync(place.path("store.db"))).toBe(false)
  })

  it("with --all-or-nothing reports that it would keep nothing if one row is invalid", async () => {
    const place = openWorkplace()
    writeFileSync(place.path("pets.csv"), "name,categoryId\nBello,1\n,1\n")
    const { stdout } = await place.run(["import", "pets.csv", "--dry-run", "--all-or-nothing"])
    expect(stdout).toBe("2 animals read, 0 would be kept, 1 rejected.\n")
  })
})

describe("petstore import --rejected", () => {
  const rejectedOf = async (place: Workplace, name: string, content: string | Buffer, ...options: ReadonlyArray<string>) => {
    writeFileSync(place.path(name), content)
    const { exitCode } = await place.run(["import", name, "--rejected", `bad-${name}`, "--replace", ...options])
    expect(exitCode).toBe(1)
    return readFileSync(place.path(`bad-${name}`), "utf8")
  }

  it("writes rejected CSV in the input's format, ready to be corrected and imported again", async () => {
    const place = openWorkplace()
    const csv = 'status;name;categoryId\nsold;"a; ""b""";x\n;good;1\n;too;1;many\n;"open;1\nend;2\n'
    const rejected = await rejectedOf(place, "pets.csv", csv, "--delimiter", ";")
    expect(rejected.split("\n").map((line) => line.replace(/^"?[a-z][^;]*"?;/i, "REASON;"))).toEqual([
      "REASON;status;name;categoryId",
      'REASON;sold;"a; ""b""";x',
      "REASON;;too;1;many",
      'REASON;";""open;1',
      'REASON;2"',
      "",
    ])
    const corrected = `${rejected.split("\n").slice(0, 2).join("\n").replace(";x", ";7")}\n`
    writeFileSync(place.path("corrected.csv"), corrected)
    expect(await place.run(["import", "corrected.csv", "--delimiter", ";"])).toMatchObject({ exitCode: 0 })
    expect(kept(place).map(({ name }) => name)).toEqual(["good", 'a; "b"'])
  })

  it("keeps every number of rejected NDJSON unchanged, and writes a broken line as a member", async () => {
    const place = openWorkplace()
    const lines = ['{"name":"","categoryId":9223372036854775807,"weight":1.50}', "{", "not json", "[1]", '{"name":1}', "{}"]
    const reason = { rejectedBecause: expect.any(String) }
    const rejected = await rejectedOf(place, "pets.ndjson", lines.join("\n"))
    expect(rejected).toContain('{"name":"","categoryId":9223372036854775807,"weight":1.50,"rejectedBecause":"name: ')
    expect(
      rejected
        .trimEnd()
        .split("\n")
        .slice(1)
        .map((line) => JSON.parse(line)),
    ).toEqual([
      { line: "{", ...reason },
      { line: "not json", ...reason },
      { line: "[1]", ...reason },
      { name: 1, ...reason },
      reason,
    ])
  })

  it.each([
    ["csv", "name,categoryId\n,1\n,2\n"],
    ["ndjson", '{"name":""}\n{"name":1,"categoryId":1}\n'],
  ])("replaces the reasons that an earlier import wrote to rejected %s", async (format, content) => {
    const place = openWorkplace()
    const first = await rejectedOf(place, `pets.${format}`, content)
    expect(await rejectedOf(place, `again.${format}`, first)).toBe(first)
  })

  it("does not create a file if every row is valid, and replaces a file only with --replace", async () => {
    const place = openWorkplace()
    writeFileSync(place.path("pets.csv"), "name,categoryId\nBello,1\n")
    expect(await place.run(["import", "pets.csv", "--rejected", "bad.csv"])).toMatchObject({ exitCode: 0 })
    expect(existsSync(place.path("bad.csv"))).toBe(false)
    writeFileSync(place.path("bad.csv"), "kept")
    const refused = await place.run(["import", "pets.csv", "--rejected", "bad.csv", "--json"])
    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("--replace") })
    expect(JSON.parse(refused.stdout)).toMatchObject({ read: 0, kept: 0, error: expect.stringContaining("bad.csv") })
    expect(readFileSync(place.path("bad.csv"), "utf8")).toBe("kept")
    expect(kept(place)).toHaveLength(1)
  })

  it("refuses to overwrite its own input file", async () => {
    const place = openWorkplace()
    writeFileSync(place.path("pets.csv"), "name,categoryId\n,1\n")
    const refused = await place.run(["import", "pets.csv", "--rejected", "./pets.csv", "--replace"])
    expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("pets.csv") })
    expect(readFileSync(place.path("pets.csv"), "utf8")).toBe("name,categoryId\n,1\n")
  })

  it("writes rejected orders, including orders that the store refuses", async () => {
    const place = openWorkplace()
    writeFileSync(place.path("orders.ndjson"), '{"petId":7}\n{"petId":"x"}\n')
    await place.run(["import", "orders.ndjson", "--orders", "--rejected", "bad.ndjson"])
    expect(readFileSync(place.path("bad.ndjson"), "utf8")).toMatch(
      /^\{"petId":7,"rejectedBecause":"pet_not_found: .*\n\{"petId":"x","rejectedBecause":"petId: .*\n$/,
    )
  })
})

describe("petstore import --columns", () => {
  it("reads members from the named columns", async () => {
    const csv = 'Kategorie,"Na,me",status\n7,Bello,sold\n'
    const { exitCode, pets } = await importing("pets.csv", csv, "--columns", 'categoryId=Kategorie,"name=Na,me"')
    expect([exitCode, pets]).toEqual([0, [{ name: "Bello", category_id: 7n, status: "sold" }]])
  })

  it.each([
    ["Name,Category ID\nBello,7\n", '--columns "name=Name,categoryId=Category ID"'],
    ["Titel,categoryId\nBello,7\n", '--columns "name=HEADER,categoryId=categoryId"'],
    ["Name;Kategorie\nBello;7\n", '--delimiter ";"'],
    ["name,categoryId,Status\nBello,7,sold\n", '--columns "status=Status"'],
  ])("is suggested for the header of %j", async (csv, hint) => {
    const { exitCode, stderr } = await importing("pets.csv", csv)
    expect(exitCode).toBe(1)
    expect(stderr).toContain(hint)
  })

  it.each([
    ["colour=Farbe", "expected one of id, name, categoryId, status"],
    ["name", "expected one of id, name, categoryId, status"],
    ["name=a,name=b", "name is given twice"],
    ['"name=a', "a quoted cell"],
  ])("refuses %j", async (columns, reason) => {
    const place = openWorkplace()
    writeFileSync(place.path("pets.csv"), "name,categoryId\n")
    expect(await place.run(["import", "pets.csv", "--columns", columns])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(reason),
    })
  })

  it("refuses a column that the file does not have, and refuses NDJSON", async () => {
    const { stderr } = await importing("pets.csv", "name,categoryId\nBello,1\n", "--columns", "status=Zustand")
    expect(stderr).toContain("it does not name the column Zustand")
    const place = openWorkplace()
    writeFileSync(place.path("pets.ndjson"), "")
    expect(await place.run(["import", "pets.ndjson", "--columns", "name=Name"])).toMatchObject({ exitCode: 2 })
  })
})

describe("petstore import", () => {
  it("prints one JSON value with --json, even on failure", async () => {
    const place = openWorkplace()
    const missing = await place.run(["import", "missing.csv", "--json"])
    expect(missing.exitCode).toBe(1)
    expect(JSON.parse(missing.stdout)).toEqual({
      read: 0,
      kept: 0,
      rejected: 0,
      rejections: [],
      error: expect.stringContaining("no such file"),
    })
    expect(JSON.parse((await place.run(["import", "pets.txt", "--json"])).stdout)).toMatchObject({
      error: expect.stringContaining("--format"),
    })
  })

  it("names the encoding of a file that is not UTF-8, and writes its rejected lines as UTF-8", async () => {
    const place = openWorkplace()
    writeFileSync(place.path("pets.csv"), Buffer.from("name,categoryId\nB\u00e4r,1\n", "latin1"))
    const { stderr } = await place.run(["import", "pets.csv", "--rejected", "bad.csv"])
    expect(stderr).toContain("line 2: the line is not UTF-8, but looks like Latin-1")
    expect(readFileSync(place.path("bad.csv"), "utf8")).toContain("B\u00e4r,1")
    writeFileSync(place.path("pets.ndjson"), Buffer.from('{"name":"B\u00e4r","categoryId":1}', "latin1"))
    await place.run(["import", "pets.ndjson", "--rejected", "bad.ndjson"])
    expect(JSON.parse(readFileSync(place.path("bad.ndjson"), "utf8"))).toMatchObject({
      line: '{"name":"B\u00e4r","categoryId":1}',
    })
    writeFileSync(place.path("pets.csv"), Buffer.from("\uFEFFname,categoryId\n", "utf16le"))
    expect((await place.run(["import", "pets.csv"])).stderr).toContain("looks like UTF-16")
  })

  it("reads standard input", async () => {
    const place = openWorkplace()
    await place.run(["import", "-", "--format", "ndjson"], '{"name":"Bello","categoryId":1}\n')
    expect(kept(place)).toHaveLength(1)
  })

  it("reports why a file cannot be read", async () => {
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

  it("stores the words of the names, by which a search finds them, in one or in many batches", async () => {
    for (const options of [[], ["--all-or-nothing"]]) {
      const place = openWorkplace()
      const names = Array.from({ length: 3_000 }, (_, index) => `Mr. Mía ${index}`)
      writeFileSync(place.path("pets.csv"), `name,categoryId\n${names.map((name) => `${name},1\n`).join("")}`)
      expect(await place.run(["import", "pets.csv", ...options])).toMatchObject({ exitCode: 0 })
      expect(words(place)).toStrictEqual(names.map((_, index) => `mr mia ${index}`))
    }
  })

  it("reports its progress line by line, and uses less than 300 000 kB of memory for 200 000 pets", async () => {
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

/** Prints the largest resident set, in kB, when the process exits. */
const report = encodeURIComponent('process.on("exit",()=>process.stderr.write("maxRSS="+process.resourceUsage().maxRSS+"\\n"))')
