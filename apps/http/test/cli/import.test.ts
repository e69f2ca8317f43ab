import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { gzipSync } from "node:zlib"
import { openWorkplace } from "@petstore/harness/testing"
import { describe, expect, it } from "vitest"
import { importing, kept, type Workplace, words } from "./importing.js"

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

  it("tolerates byte order marks, and refuses an empty file", async () => {
    const marked = await importing("pets.ndjson", '\uFEFF\uFEFF{"name":"Bello","categoryId":1}\n')
    expect(marked.pets).toHaveLength(1)
    const empty = await importing("empty.ndjson", "")
    expect(empty).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("is empty"), pets: [] })
  })

  it("accepts long members that it does not read", async () => {
    const { pets } = await importing("pets.ndjson", `{"name":"good","categoryId":1,"notes":"${"x".repeat(200_000)}"}\n`)
    expect(pets.map(({ name }) => name)).toEqual(["good"])
  })

  it("reports a reason for at most 5 lines, and counts the rest", async () => {
    const { stderr, stdout } = await importing("pets.ndjson", `${"bad\n".repeat(250)}{}\n`, "--json")
    expect(stderr.match(/^line /gm)).toHaveLength(6)
    expect(stderr).toContain("245 more rows: not valid JSON")
    const rejections = [expect.objectContaining({ line: 1, count: 250 }), expect.objectContaining({ line: 251, count: 1 })]
    expect(JSON.parse(stdout)).toMatchObject({ rejected: 251, rejections })
  })

  it("rejects members in another spelling", async () => {
    const { pets, stderr } = await importing("pets.ndjson", '{"name":"Bello","categoryId":1,"Status":"sold"}\n')
    expect([pets, stderr]).toEqual([[], expect.stringContaining("Status")])
  })

  it("reads a JSON array", async () => {
    const { pets } = await importing("pets.json", '[{"name":"a","categoryId":9007199254740993},\n{"name":"b","categoryId":2}]')
    expect(pets).toMatchObject([{ name: "a", category_id: 9007199254740993n }, { name: "b" }])
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
    const csv = 'name,categoryId\n"a\nb",1\n"c\nd",1.0\ne,+1\n,1\ng"h,1\ni\nj,1,2\nk,9223372036854775808\nl,1,,\n,,\n'
    const { exitCode, pets, stderr } = await importing("pets.csv", csv)
    expect(pets.map(({ name }) => name)).toEqual(["a\nb", 'g"h', "l"])
    expect(stderr.match(/^line [0-9]+/gm)).toEqual([4, 6, 7, 9, 10, 11].map((line) => `line ${line}`))
    expect(exitCode).toBe(1)
  })

  it.each([
    ["LF", "\n"],
    ["CRLF", "\r\n"],
    ["CR", "\r"],
  ])("reads lines that end with %s, across chunks", async (_, end) => {
    const names = Array.from({ length: 40_000 }, (__, index) => (index % 3 === 0 ? `"pet, ${index}"` : `pet ${index}`))
    const { exitCode, pets } = await importing("pets.csv", ["name,categoryId", ...names.map((name) => `${name},1`)].join(end))
    expect([exitCode, pets.length, pets.at(-1)]).toMatchObject([0, 40_000, { name: "pet, 39999" }])
  })

  it.each([
    ["an unclosed quote", `a,1\n"open,1\n${"b,1\n".repeat(50_000)}`, "line 3 is never closed"],
    ["text after a quote", 'a,1\n"b"x,1\nc,1\n', "On line 3 there is text between a closing quote"],
    ["bytes that are not UTF-8", Buffer.from("a,1\nZo\xeb,2\n", "latin1"), 'In windows-1252 it is "Zoë,2"'],
    ["a NUL-ridden UTF-16", Buffer.from("a,1\n".repeat(100), "utf16le"), "--encoding utf-16le"],
    ["no rows", "", "The file has no animals"],
  ])("keeps nothing of a file with %s", async (_, rest, reason) => {
    const start = Buffer.from("name,categoryId\n", reason.includes("utf-16") ? "utf16le" : "utf8")
    const { exitCode, pets, stderr } = await importing("pets.csv", Buffer.concat([start, Buffer.from(rest)]))
    expect([exitCode, pets]).toEqual([1, []])
    expect(stderr).toContain(reason)
  })

  it("reads a closed quoted cell of any length", async () => {
    const notes = "notes, more\n".repeat(20_000)
    const { exitCode, pets } = await importing("pets.csv", `name,notes,categoryId\na,"${notes}",1\nb,,2\n`)
    expect([exitCode, pets.map(({ name }) => name)]).toEqual([0, ["a", "b"]])
  })

  it.each([
    ["UTF-16 with a mark", Buffer.from("\uFEFFname,categoryId\nZoë,1\n", "utf16le"), []],
    [
      "windows-1250",
      Buffer.from([...Buffer.from("name,categoryId\nZo"), 0xeb, ...Buffer.from(",1\n")]),
      ["--encoding", "windows-1250"],
    ],
    ["a double mark", "\uFEFF\uFEFFname,categoryId\nZoë,1\n", []],
    ["sep=", "sep=;\r\nname;categoryId\r\nZoë;1\r\n", []],
    ["title lines", "Animals of the shelter,,\n\nID,Name,Category_ID\n7,Zoë,1\n", []],
    ["gzip", gzipSync("name,categoryId\nZoë,1\n"), []],
    ["no header", "Zoë,1\n", ["--no-header"]],
    ["numbered columns", "x,1,Zoë\n", ["--no-header", "--columns", "name=3", "--columns", "categoryId=2"]],
  ])("reads a file with %s", async (_, content, options) => {
    const { pets, stderr } = await importing("pets.csv", content, ...options)
    expect({ pets, stderr }).toMatchObject({
      pets: [{ name: "Zoë", category_id: 1n }],
      stderr: expect.not.stringContaining("Try"),
    })
  })

  it.each([
    ["an old workbook", Buffer.from("d0cf11e0a1b11ae1", "hex"), "Excel"],
    ["a new workbook", Buffer.from("504b030414000600", "hex"), "save it as CSV"],
  ])("names %s", async (_, content, words) => {
    expect((await importing("pets.csv", content)).stderr).toContain(words)
  })

  it.each([
    ["name,category\na,1\n", "--columns categoryId=category"],
    ["name,name,categoryId\na,a,1\n", "more than once"],
    ['"name\na,1\n', "never closed"],
    ["\u001b[31mx,y\na,1\n", "\\u001b[31mx"],
  ])("refuses the header of %j", async (csv, reason) => {
    const { exitCode, pets, stderr } = await importing("pets.csv", csv)
    expect([exitCode, pets]).toEqual([1, []])
    expect(stderr).toContain(reason)
  })

  it("translates statuses, fills gaps, skips columns and finds or creates categories by name", async () => {
    const place = openWorkplace()
    const csv = "Name,Status,Category ID\nRex,Adopted,Dog\n,On Hold,dog\nTom,Unknown,Cat\nMia,,7\nLea,SOLD,Cat\n"
    writeFileSync(place.path("pets.csv"), csv)
    const unknown = await place.run(["import", "pets.csv"])
    expect(unknown.stdout).toBe("5 animals read, 1 kept, 4 rejected.\n")
    rmSync(place.path("store.db"))
    const { proposal } = JSON.parse((await place.run(["import", "pets.csv", "--dry-run", "--json"])).stdout)
    expect(proposal).toBe(
      "petstore import pets.csv --default 'name=(no name)' --statuses 'Adopted=sold,On Hold=pending,Unknown=' --create-categories",
    )
    const options = ["--default", "name=(no name)", "--statuses", "Adopted=sold,On Hold=pending,Unknown=", "--create-categories"]
    expect(await place.run(["import", "pets.csv", ...options])).toMatchObject({ exitCode: 0 })
    expect(kept(place)).toEqual([
      { name: "Rex", category_id: 1n, status: "sold" },
      { name: "(no name)", category_id: 1n, status: "pending" },
      { name: "Tom", category_id: 2n, status: null },
      { name: "Mia", category_id: 7n, status: null },
      { name: "Lea", category_id: 2n, status: "sold" },
    ])
    writeFileSync(place.path("more.csv"), "name,categoryId,status\nBen,CAT,old\n")
    expect(await place.run(["import", "more.csv", "--skip", "status"])).toMatchObject({ exitCode: 0 })
    expect(kept(place).at(-1)).toEqual({ name: "Ben", category_id: 2n, status: null })
  })

  it("takes the status from a part of a word, and says which words it does not know", async () => {
    const csv = "name,categoryId,status\nRex,1,Foster - Available\nMia,1,Zzz\n"
    const { stdout } = await importing("pets.csv", csv, "--dry-run")
    expect(stdout).toContain("'Foster - Available=available,Zzz='")
    expect(stdout).toContain('words for a status: "Foster - Available" → available (1), "Zzz" → none (1)\n')
    expect(stdout).toContain('Not sure: "Zzz" would be kept without a status. To choose one')
    const titled = await importing("pets.csv", csv.replace("categoryId", "Species"), "--dry-run")
    expect(titled).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Not sure: "Zzz"') })
    const chosen = await importing("pets.csv", csv, "--statuses", "Foster - Available=available,Zzz=", "--dry-run")
    expect(chosen.stdout).not.toMatch(/Not sure|Try/)
  })

  it("refuses an export with identifiers of the store", async () => {
    const place = openWorkplace()
    writeFileSync(place.path("pets.csv"), "id,name,categoryId,status\n1,Rex,1,\n")
    expect(await place.run(["import", "pets.csv"])).toMatchObject({ exitCode: 0 })
    for (const options of [[], ["--dry-run"]]) {
      const refused = await place.run(["import", "pets.csv", ...options])
      expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("--update") })
    }
    writeFileSync(place.path("pets.ndjson"), '{"id":1,"name":"Rex","categoryId":1}\n')
    expect(await place.run(["import", "pets.ndjson"])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("--skip id"),
    })
    expect(kept(place)).toHaveLength(1)
    expect(await place.run(["import", "pets.csv", "--skip", "id"])).toMatchObject({ exitCode: 0 })
  })

  it("names the categories that it creates, also before it does", async () => {
    const place = openWorkplace()
    writeFileSync(place.path("pets.csv"), "name,categoryId\nRex,Dog\nTom,Cat\nMia,cat\n")
    const command = ["import", "pets.csv", "--create-categories"]
    expect((await place.run([...command, "--dry-run"])).stdout).toContain('pet: "Mia", category "Cat", which is new')
    expect((await place.run(command)).stdout).toBe('3 animals read, 3 kept, 0 rejected. Categories created: "Dog", "Cat".\n')
  })

  it("goes on after a line", async () => {
    const { pets } = await importing("pets.csv", "name,categoryId\na,1\nb,1\nc,1\n", "--after-line", "2")
    expect(pets.map(({ name }) => name)).toEqual(["b", "c"])
  })

  it("with --update --dry-run shows each change", async () => {
    const place = openWorkplace()
    writeFileSync(place.path("pets.csv"), "name,categoryId\na,1\nb,1\n")
    await place.run(["import", "pets.csv"])
    writeFileSync(place.path("new.csv"), "id,name\n1,a\n2,c\n3,d\n")
    const { stdout } = await place.run(["import", "new.csv", "--update", "--dry-run"])
    expect(stdout).toContain('pet 2: "b", category 1, without a status → "c", category 1, without a status\n')
    expect(stdout).toContain("3 animals read, 2 would be kept, 1 rejected.")
    expect(kept(place).map(({ name }) => name)).toEqual(["a", "b"])
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

describe("petstore import --rejected", () => {
  const rejectedOf = async (place: Workplace, name: string, content: string | Buffer, ...options: ReadonlyArray<string>) => {
    writeFileSync(place.path(name), content)
    const { exitCode } = await place.run(["import", name, "--rejected", `bad-${name}`, "--replace", ...options])
    expect(exitCode).toBe(1)
    return readFileSync(place.path(`bad-${name}`), "utf8")
  }

  it("writes rejected CSV in the input's format, ready to be corrected and imported again", async () => {
    const place = openWorkplace()
    const csv = 'status;name;categoryId\nsold;"a; ""b""";x\n;good;1\n;too;1;many\n'
    const rejected = await rejectedOf(place, "pets.csv", csv, "--delimiter", ";")
    expect(rejected.split("\n").map((line) => line.replace(/^"?[a-z][^;]*"?;/i, "REASON;"))).toEqual([
      "REASON;status;name;categoryId",
      'REASON;sold;"a; ""b""";x',
      "REASON;;too;1;many",
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
})

describe("petstore import --columns", () => {
  it("reads members from the named columns", async () => {
    const csv = 'Kategorie,"Na,me",status\n7,Bello,sold\n'
    const { exitCode, pets } = await importing("pets.csv", csv, "--columns", 'categoryId=Kategorie,"name=Na,me"')
    expect([exitCode, pets]).toEqual([0, [{ name: "Bello", category_id: 7n, status: "sold" }]])
  })

  it.each([
    ["colour=Farbe", "Expected one of id, name, categoryId, status"],
    ["name", "Expected pairs such as name=value"],
    ["name=a,name=b", "name is given twice"],
    ['"name=a', "never closed"],
  ])("refuses %j", async (columns, reason) => {
    const place = openWorkplace()
    writeFileSync(place.path("pets.csv"), "name,categoryId\n")
    expect(await place.run(["import", "pets.csv", "--columns", columns])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(reason),
    })
  })

  it("reads members of NDJSON under other names, and leaves members out", async () => {
    const line = '{"Name":"Bello","kind":7,"status":"ill"}\n'
    const { pets } = await importing("pets.ndjson", line, "--columns", "name=Name,categoryId=kind", "--skip", "status")
    expect(pets).toEqual([{ name: "Bello", category_id: 7n, status: null }])
  })

  it("refuses a column that the file does not have", async () => {
    const { stderr } = await importing("pets.csv", "name,categoryId\nBello,1\n", "--columns", "status=Zustand")
    expect(stderr).toContain("it does not name the column Zustand")
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
    expect(JSON.parse((await place.run(["import", "pets.xml", "--json"])).stdout)).toMatchObject({
      error: expect.stringContaining("--format"),
    })
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
    expect(await place.run(["import", "pets.xml"])).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("--format") })
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
})
