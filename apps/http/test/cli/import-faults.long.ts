/** What real files did to `petstore import`: nothing is invented, doubled or called kept that is not. */
import { once } from "node:events"
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { openWorkplace } from "@petstore/harness/testing"
import { expect, it } from "vitest"

const namesIn = async ({ run }: ReturnType<typeof openWorkplace>) =>
  (await run(["export", "-"])).stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line).name)

it.each([
  ["empty.csv", "", []],
  ["empty.csv", "", ["--all-or-nothing"]],
  ["header.csv", "name,categoryId\n", []],
  ["header.csv", "name,categoryId\n", ["--all-or-nothing"]],
  ["header.csv", "name,categoryId\r", ["--dry-run"]],
  ["rows.csv", "name,categoryId\n,,\n,,\n", []],
  ["array.json", "[]", []],
  ["lines.ndjson", "\n\n", []],
])("%s with %j and %j is a failure, also as JSON", async (name, content, options) => {
  const place = openWorkplace()
  writeFileSync(place.path(name), content)
  const { exitCode, stderr, stdout } = await place.run(["import", name, "--json", ...options])
  expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/has no animals|is empty/)])
  expect(JSON.parse(stdout).kept ?? JSON.parse(stdout).wouldBeKept).toBe(0)
})

it("an import that Ctrl-C ends says how many animals were kept, and --after-line adds the others", async () => {
  const place = openWorkplace()
  const rows = 120_000
  writeFileSync(
    place.path("pets.csv"),
    `name,categoryId\n${Array.from({ length: rows }, (_, index) => `p${index},1\n`).join("")}`,
  )
  const child = place.start(["import", "pets.csv"])
  let said = ""
  child.stderr.on("data", (text) => (said += text))
  const ended = once(child, "close")
  const stored = () => {
    if (!existsSync(place.path("store.db"))) return 0
    using store = new DatabaseSync(place.path("store.db"), { readOnly: true })
    try {
      return Number(store.prepare("SELECT count(*) AS pets FROM pets").get()?.["pets"])
    } catch {
      // The store has no tables yet.
      return 0
    }
  }
  await expect.poll(stored, { interval: 10 }).toBeGreaterThan(0)
  child.kill("SIGINT")
  await ended
  const [, kept, line, after] =
    /interrupted\. (\d+) animals were kept, up to line (\d+)\. To go on: --after-line (\d+)/.exec(said) ?? []
  expect([child.exitCode, stored(), Number(line)]).toEqual([1, Number(kept), Number(kept) + 1])
  expect(await place.run(["import", "pets.csv", "--after-line", String(after)])).toMatchObject({ exitCode: 0 })
  expect(new Set(await namesIn(place)).size).toBe(rows)
  expect(stored()).toBe(rows)
})

it("a file that is still being copied is refused", async () => {
  const place = openWorkplace()
  writeFileSync(place.path("pets.csv"), "name,categoryId\nA,1\nB,12")
  const refused = place.run(["import", "pets.csv"])
  const writing = setInterval(() => appendFileSync(place.path("pets.csv"), "3\nC,1"), 100)
  const { exitCode, stderr } = await refused
  clearInterval(writing)
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining("changed while it was being read")])
  expect(existsSync(place.path("store.db"))).toBe(false)
})

it("--update rejects a misspelled member of NDJSON", async () => {
  const place = openWorkplace()
  writeFileSync(place.path("pets.ndjson"), '{"name":"Rex","categoryId":1}\n')
  await place.run(["import", "pets.ndjson"])
  writeFileSync(place.path("more.ndjson"), '{"id":1,"Status":"sold"}\n')
  const { stdout, stderr } = await place.run(["import", "--update", "more.ndjson"])
  expect(stdout).toBe("1 animal read, 0 kept, 1 rejected.\n")
  expect(stderr).toContain("status: expected the name in this spelling")
})

it("a tab-separated file needs no option, and one refusal names every column", async () => {
  const place = openWorkplace()
  writeFileSync(place.path("pets.tsv"), "Name\tCategory ID\nRex\t1\n")
  expect(await place.run(["import", "pets.tsv"])).toMatchObject({ exitCode: 0 })
  writeFileSync(place.path("more.csv"), "ID,Tier,Art,Status\n1,Rex,7,vermittelt\n")
  const { stderr } = await place.run(["import", "more.csv"])
  expect(stderr).toContain("does not name the column name and categoryId")
  expect(stderr).toContain("Try: petstore import more.csv --columns categoryId=HEADER --default 'name=(no name)'")
})

it("categories have a dry run and a delimiter too", async () => {
  const place = openWorkplace()
  writeFileSync(place.path("kinds.csv"), "id;name\n1;Dog\n")
  const command = ["import", "--categories", "kinds.csv"]
  expect((await place.run([...command, "--dry-run"])).stdout).toBe("1 category name read, 1 would be kept, 0 rejected.\n")
  expect(existsSync(place.path("store.db"))).toBe(false)
  expect(await place.run([...command, "--delimiter", ";"])).toMatchObject({ exitCode: 0 })
  expect((await place.run(["export", "--categories", "-"])).stdout).toBe("id,name\n1,Dog\n")
})

it("control characters and long texts of a file are never printed as they are", async () => {
  const place = openWorkplace()
  writeFileSync(
    place.path("pets.csv"),
    `name,categoryId,status\nRex,\u001b]0;x\u0007\u009b31m,1\nTom,${"9".repeat(5_000)},\u202eevil\n`,
  )
  for (const options of [[], ["--dry-run"]]) {
    const { stdout, stderr } = await place.run(["import", "pets.csv", ...options])
    const printed = `${stdout}${stderr}`
    expect(["\u001b", "\u0007", "\u009b", "\u202e", "9".repeat(100)].filter((raw) => printed.includes(raw))).toEqual([])
    expect(printed).toContain("\\u202eevil")
  }
})

it("the body of a list comes in as a file, and a kept key never gets a second animal", async () => {
  const place = openWorkplace()
  writeFileSync(place.path("list.json"), '[{"id":4,"name":"Rex","categoryId":1,"status":"sold"}]')
  const command = ["import", "list.json", "--key", "id", "--ids", "ids.csv"]
  for (let time = 0; time < 2; time += 1) expect(await place.run(command)).toMatchObject({ exitCode: 0 })
  expect(await namesIn(place)).toEqual(["Rex"])
  expect(readFileSync(place.path("ids.csv"), "utf8")).toMatch(/\n4,1,/)
})
