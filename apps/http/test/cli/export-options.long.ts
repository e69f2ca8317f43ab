import { readFileSync, writeFileSync } from "node:fs"
import { openWorkplace } from "@petstore/harness/testing"
import { describe, expect, it } from "vitest"

const filled = async () => {
  const place = openWorkplace()
  writeFileSync(
    place.path("pets.csv"),
    "name,categoryId,status\nRex 1,1,available\nTom Two,2,sold\n'=Ann,1,\nRex Four,2,available\n@Bob,3,pending\n",
  )
  await place.run(["import", "pets.csv"])
  return place
}

describe("petstore export", () => {
  it.each([
    [
      ["--status", "available"],
      [1, 4],
    ],
    [["--without-status"], [3]],
    [
      ["--category-id", "2"],
      [2, 4],
    ],
    [["--name", "rex fo"], [4]],
    [
      ["--id", "5, 2,2,99"],
      [2, 5],
    ],
    [
      ["--order", "desc"],
      [5, 4, 3, 2, 1],
    ],
    [["--order", "desc", "--status", "available", "--category-id", "1"], [1]],
  ])("with %j writes only these animals", async (options, ids) => {
    const { stdout } = await (await filled()).run(["export", "-", ...options])
    expect(
      stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line).id),
    ).toEqual(ids)
  })

  it("writes several pages from the last animal on", async () => {
    const place = openWorkplace()
    writeFileSync(place.path("pets.ndjson"), '{"name":"a","categoryId":1}\n'.repeat(2_500))
    await place.run(["import", "pets.ndjson"])
    const { stdout } = await place.run(["export", "-", "--order", "desc"])
    const ids = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).id)
    expect(ids).toEqual(Array.from({ length: 2_500 }, (_, index) => 2_500 - index))
  })

  it("writes a spreadsheet's file, which comes back without a change", async () => {
    const place = await filled()
    await place.run(["export", "out.csv", "--for-spreadsheet", "--delimiter", ";"])
    expect(readFileSync(place.path("out.csv"), "utf8")).toBe(
      "\uFEFFid;name;categoryId;status\n1;'Rex 1;1;available\n2;Tom Two;2;sold\n3;''=Ann;1;\n4;Rex Four;2;available\n5;'@Bob;3;pending\n",
    )
    const before = await place.run(["export", "-"])
    expect(await place.run(["import", "out.csv", "--update", "--for-spreadsheet"])).toMatchObject({ exitCode: 0 })
    expect(await place.run(["export", "-"])).toEqual(before)
  })

  it("leaves a name as it is in which a spreadsheet changed only the line ends", async () => {
    const place = openWorkplace()
    writeFileSync(place.path("pets.ndjson"), '{"name":"two\\r\\nlines","categoryId":1}\n{"name":"b\\rc","categoryId":1}\n')
    await place.run(["import", "pets.ndjson"])
    writeFileSync(place.path("saved.csv"), 'id,name,categoryId\n1,"two\nlines",7\n2,"b\nd",1\n')
    const command = ["import", "saved.csv", "--update", "--for-spreadsheet"]
    expect((await place.run([...command, "--dry-run"])).stdout).toContain('"two\\r\\nlines", category 7')
    expect(await place.run(command)).toMatchObject({ exitCode: 0 })
    expect((await place.run(["export", "-"])).stdout).toBe(
      '{"id":1,"name":"two\\r\\nlines","categoryId":7}\n{"id":2,"name":"b\\nd","categoryId":1}\n',
    )
  })

  it.each([
    [["out.csv", "--id", "x"], "64-bit"],
    [["out.csv", "--name", "!"], "no letter"],
    [["out.csv", "--status", "sold", "--without-status"], "either"],
    [["out.ndjson", "--delimiter", ";"], "for CSV"],
    [["out.ndjson", "--orders", "--order", "desc"], "for animals"],
  ])("refuses %j", async (args, reason) => {
    const place = openWorkplace()
    expect(await place.run(["export", ...args])).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(reason) })
  })
})
