import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { openWorkplace } from "@petstore/harness/testing"
import { expect, it } from "vitest"

const names = [
  ...["=1+1", "+1", "-1", "@SUM(A1)", '=HYPERLINK("http://x")', "=cmd|' /C calc'!A0", "-", "+", "@", "'quoted", "''two", "'"],
  ...[
    "007",
    "1e5",
    "1.50",
    "2024-01-02",
    "1/2",
    "12:30",
    "9007199254740993",
    "0x1F",
    "50%",
    "$5",
    "TRUE",
    "May 5",
    "#N/A",
    "#REF!",
  ],
  ...[
    "\ttab",
    "tab\tinside",
    " leading",
    "trailing ",
    "\u00a0nbsp\u00a0",
    "two\nlines",
    "two\r\nlines",
    "a,b",
    "a;b",
    'say "hi"',
    "O'Neill",
    "line\rend",
  ],
  ...["Zoë", "Łucja", "猫", "🐈 cat"],
]

it("LibreOffice changes none of 42 names of export --for-spreadsheet", async () => {
  expect(names).toHaveLength(42)
  const place = openWorkplace()
  writeFileSync(place.path("pets.ndjson"), names.map((name) => JSON.stringify({ name, categoryId: 1 })).join("\n"))
  await place.run(["import", "pets.ndjson"])
  const before = await place.run(["export", "-"])
  await place.run(["export", "out.csv", "--for-spreadsheet"])
  // UTF-8, commas and quotes; the second filter writes cells as a person sees them.
  const filters = ["--infilter=CSV:44,34,76,1", "--convert-to", "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true"]
  const home = `-env:UserInstallation=file://${place.path("office")}`
  execFileSync("soffice", [home, "--headless", ...filters, "--outdir", place.path("saved"), place.path("out.csv")])
  const back = await place.run(["import", "saved/out.csv", "--update", "--for-spreadsheet"])
  expect(back).toMatchObject({ exitCode: 0, stdout: "42 animals read, 42 kept, 0 rejected.\n" })
  expect((await place.run(["export", "-"])).stdout).toBe(before.stdout)
})
