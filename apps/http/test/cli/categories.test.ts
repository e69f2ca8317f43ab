/** `petstore export --categories` and `petstore import --categories`. */
import { readFileSync, writeFileSync } from "node:fs"
import { openWorkplace } from "@petstore/harness/testing"
import { expect, it } from "vitest"

it("export --categories writes the names that import --categories has read, in ascending order of identifier", async () => {
  const { path, run } = openWorkplace()
  writeFileSync(path("names.csv"), 'name,note,id\n"Cats, ""big""",x,9007199254740993\n Dogs ,,-7\nDogs,,8\n')
  expect(await run(["import", "--categories", "names.csv"])).toStrictEqual({
    exitCode: 0,
    stdout: "3 category names read, 3 kept, 0 rejected.\n",
    stderr: "",
  })
  const exported = await run(["export", "--categories", "out.csv"])
  expect(exported).toMatchObject({ exitCode: 0, stdout: "3 category names exported to out.csv.\n" })
  expect(readFileSync(path("out.csv"), "utf8")).toBe('id,name\n-7, Dogs \n8,Dogs\n9007199254740993,"Cats, ""big"""\n')
  writeFileSync(path("names.csv"), "id,name\n8,Hounds\n")
  expect(await run(["import", "--categories", "names.csv"])).toMatchObject({ exitCode: 0 })
  expect((await run(["export", "--categories", "-"])).stdout).toContain("\n8,Hounds\n")
})

it("import rejects rows that are not valid categories, and writes them with the reasons", async () => {
  const { path, run } = openWorkplace()
  writeFileSync(
    path("names.csv"),
    "id,name\n1,Dogs\n1.0,Cats\n3,\n9223372036854775808,Birds\n4\n5,Dogs, big\npst_dev_0123456789,Keys\n",
  )
  const { exitCode, stdout, stderr } = await run(["import", "--categories", "names.csv", "--rejected", "bad.csv"])
  expect([exitCode, stdout]).toStrictEqual([1, "7 category names read, 1 kept, 6 rejected.\n"])
  expect(stderr).toContain('line 3: id: expected a 64-bit integer in decimal digits, got "1.0".')
  expect(stderr).toContain("line 4: name: expected a string of 1 to 1024 code points")
  expect(stderr).toContain("line 6: expected 2 cells as in the header, got 1")
  expect(stderr).toContain("line 7: expected 2 cells as in the header, got 3")
  expect(stderr).not.toContain("0123456789")
  const bad = readFileSync(path("bad.csv"), "utf8")
  expect(bad.split("\n")[0]).toBe("rejectedBecause,id,name")
  writeFileSync(path("good.csv"), bad.replaceAll("1.0", "2").replace("3,\n", "3,Fish\n"))
  expect((await run(["import", "--categories", "good.csv"])).stdout).toContain("2 kept")
})

it("import refuses a file that lacks a column, and both commands refuse other formats", async () => {
  const { path, run } = openWorkplace()
  writeFileSync(path("names.csv"), "id;label\n1;Dogs\n")
  const unreadable = await run(["import", "--categories", "names.csv"])
  expect(unreadable).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("it does not name the column name") })
  writeFileSync(path("broken.csv"), '"id"x,name\n1,Dogs\n')
  const broken = await run(["import", "--categories", "broken.csv"])
  expect(broken).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("On line 1 there is text between a closing quote"),
  })
  for (const wrong of [
    ["import", "--categories", "--format", "ndjson", "names.csv"],
    ["import", "--categories", "--all-or-nothing", "names.csv"],
    ["export", "--categories", "out.ndjson"],
    ["export", "--categories", "--orders", "out.csv"],
  ]) {
    expect((await run(wrong)).exitCode).toBe(2)
  }
})
