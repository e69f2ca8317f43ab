/** `petstore import --key --ids`. */
import { once } from "node:events"
import { readFileSync, writeFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { setTimeout as sleep } from "node:timers/promises"
import { openWorkplace } from "@petstore/harness/testing"
import { newPostgresDatabase } from "@petstore/test/postgres"
import { expect, it } from "vitest"

const rows = 6_000
const csv = `No,name,categoryId\n${Array.from({ length: rows }, (_, index) => `K${index},pet ${index},1\n`).join("")}`
const options = ["import", "pets.csv", "--key", "No", "--ids", "ids.csv"]

it.each([
  ["SQLite", async () => ({})],
  ["PostgreSQL", async () => ({ DATABASE_URL: await newPostgresDatabase() })],
])("import --key --ids on %s goes on after kills, and ends with every row once", async (_, settings) => {
  const place = openWorkplace(await settings())
  writeFileSync(place.path("pets.csv"), csv)
  let kills = 0
  for (let delay = 400; delay < 1_500; delay += 150) {
    const child = place.start(options)
    const ended = once(child, "close")
    await Promise.race([sleep(delay), ended])
    if (child.exitCode !== null) break
    child.kill("SIGKILL")
    await ended
    kills += 1
  }
  expect(kills).toBeGreaterThan(0)
  expect(await place.run(options)).toMatchObject({ exitCode: 0 })
  const names = (await place.run(["export", "-"])).stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line).name)
  expect(names.toSorted()).toEqual(Array.from({ length: rows }, (_, index) => `pet ${index}`).toSorted())
  // The state after a kill between the commit of the rows and their lines in the file of identifiers.
  const ids = readFileSync(place.path("ids.csv"), "utf8")
  const cut = ids.slice(0, ids.length - 20_000)
  writeFileSync(place.path("ids.csv"), cut)
  expect(await place.run(options)).toMatchObject({ exitCode: 0 })
  expect((await place.run(["export", "-"])).stdout.trimEnd().split("\n")).toHaveLength(rows)
  expect(readFileSync(place.path("ids.csv"), "utf8").split("\n").toSorted()).toEqual(ids.split("\n").toSorted())
})

it("import --key --ids adds what is new and corrects what changed", async () => {
  const place = openWorkplace()
  writeFileSync(place.path("pets.csv"), "No,name,categoryId\nA,Rex,1\nB,Mia,1\n")
  expect(await place.run(options)).toMatchObject({ exitCode: 0 })
  writeFileSync(place.path("pets.csv"), "No,name,categoryId,status\nA,Rex,1,\nB,Mia,2,sold\nC,Tom,1,\n")
  expect(await place.run(options)).toMatchObject({ exitCode: 0 })
  expect((await place.run(["export", "-"])).stdout).toBe(
    '{"id":1,"name":"Rex","categoryId":1}\n{"id":2,"name":"Mia","categoryId":2,"status":"sold"}\n{"id":3,"name":"Tom","categoryId":1}\n',
  )
  expect(readFileSync(place.path("ids.csv"), "utf8")).toMatch(/^key,id,content-.*\nA,1,.*\nB,2,.*\nC,3,.*\nB,2,/)
})

it("import --key --ids corrects a row that changed after a kill between its commit and its line", async () => {
  const place = openWorkplace()
  writeFileSync(place.path("pets.csv"), "No,name,categoryId\nA,Rex,1\n")
  expect(await place.run(options)).toMatchObject({ exitCode: 0 })
  const [header] = readFileSync(place.path("ids.csv"), "utf8").split("\n")
  writeFileSync(place.path("ids.csv"), `${header}\n`)
  writeFileSync(place.path("pets.csv"), "No,name,categoryId\nA,Max,1\n")
  expect(await place.run(options)).toMatchObject({ exitCode: 0 })
  expect((await place.run(["export", "-"])).stdout).toBe('{"id":1,"name":"Max","categoryId":1}\n')
})

it("import --key --ids refuses a file of identifiers that another import uses", async () => {
  const place = openWorkplace()
  writeFileSync(place.path("pets.csv"), "key,name,categoryId\na,Rex,1\n")
  const lock = new DatabaseSync(place.path("ids.csv.lock"))
  lock.exec("BEGIN EXCLUSIVE")
  const command = ["import", "pets.csv", "--key", "key", "--ids", "ids.csv"]
  const refused = await place.run(command)
  expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("ids.csv is in use by another import") })
  lock.close()
  expect(await place.run(command)).toMatchObject({
    exitCode: 0,
    stdout: "1 animal read, 1 kept (1 new, 0 changed, 0 unchanged), 0 rejected.\n",
  })
})
