/** `petstore copy` and `petstore checksum`. */
import { spawn } from "node:child_process"
import { existsSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { commandPath, type Environment, environmentIn, petstore, run } from "@petstore/harness/command"
import { serve, temporaryFolder } from "@petstore/harness/testing"
import { newPostgresDatabase } from "@petstore/test/postgres"
import { expect, it } from "vitest"
import { rowsOf } from "../rows-of.js"
import { openReceiver } from "../webhooks/receiver.js"
import { checksumOf, makeStore, names, on } from "./copied-store.js"

it("a service on PostgreSQL goes on with a copied store", async () => {
  const folder = temporaryFolder()
  const { environment, key } = await makeStore(folder)
  const url = await newPostgresDatabase()
  await petstore(environment, "copy", "--to", url)
  const historyOf = async (of: Environment) => {
    const { stdout } = await run(of, "history", "--since", "1h", "--json")
    return stdout
      .slice(1, -2)
      .split(/(?<=\}),(?=\{"id")/)
      .toSorted()
  }
  const history = await historyOf(on(url))
  expect(history.length).toBeGreaterThan(names.length)
  expect(history).toStrictEqual(await historyOf(environment))
  const service = await serve(environmentIn(folder, { DATABASE_URL: url }))
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" }
  const created = await fetch(`${service.baseUrl}/pets`, { method: "POST", headers, body: '{"name":"Next","categoryId":1}' })
  expect(await created.text()).toContain('"id":4611686018427387906,')
  const inventory = await fetch(`${service.baseUrl}/store/inventory`, { headers })
  expect(await inventory.text()).toContain(`"total":${names.length - 2}`)
  expect(await (await fetch(`${service.baseUrl}/pets?name=lapka`, { headers })).text()).toContain("Łapka")
  const order = await fetch(`${service.baseUrl}/store/orders/3/complete`, { method: "POST", headers })
  expect(order.status).toBe(200)
  const { stdout } = await run(on(url), "history", "--pet", "9")
  expect(stdout.match(/\w+(?= +Shop)/g)).toStrictEqual(["completeOrder", "changeOrder", "createOrder", "createPet"])
  await expect
    .poll(() => rowsOf(url, "SELECT 1 FROM petstore_processes WHERE id <> 'name words'"), { timeout: 20_000 })
    .toHaveLength(1)
  const refused = await run(environment, "copy", "--to", url, "--replace")
  expect(refused.stderr).toContain("A service uses the store")
})

it("webhooks and readers of the feed go on after a copy from SQLite to PostgreSQL, to PostgreSQL and back", async () => {
  const folder = temporaryFolder()
  const receiver = await openReceiver()
  const urls = [
    `sqlite:${join(folder, "petstore.db")}`,
    await newPostgresDatabase(),
    await newPostgresDatabase(),
    `sqlite:${join(folder, "end.db")}`,
  ]
  const names: Array<string> = []
  let headers: Record<string, string> = {}
  /** Where a reader of the feed goes on, and which creations it has seen. */
  let next: string | undefined
  let read: ReadonlyArray<string> = []
  const end = async (baseUrl: string): Promise<boolean> => {
    const response = await fetch(`${new URL(baseUrl).origin}${next ?? "/v1/changes"}`, { headers })
    if (response.status === 410) return false
    const changes: ReadonlyArray<{ readonly after: { readonly pet: { readonly name: string } } }> = JSON.parse(
      await response.text(),
    )
    read = [...read, ...changes.map(({ after }) => after.pet.name)]
    next = /<([^>]+)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1]
    return true
  }
  for (const [index, url] of urls.entries()) {
    const environment = environmentIn(folder, { DATABASE_URL: url })
    const service = await serve(environment)
    if (index === 0) {
      headers = { Authorization: `Bearer ${service.key}`, "Content-Type": "application/json" }
      await petstore(environment, "webhooks", "add", receiver.url)
    }
    // From PostgreSQL, whose changes have no common order, SQLite takes the webhooks' places, but refuses those of readers.
    expect(await end(service.baseUrl)).toBe(index < 3)
    for (let count = 0; count < 8; count += 1) {
      const name = `pet ${index}.${count}`
      const body = JSON.stringify({ name, categoryId: 1 })
      expect((await fetch(`${service.baseUrl}/pets`, { method: "POST", headers, body })).status).toBe(201)
      names.push(name)
    }
    if (index < 3) await end(service.baseUrl)
    await expect.poll(receiver.names, { timeout: 40_000 }).toHaveLength(names.length)
    await service.stop()
    const to = urls[index + 1]
    if (to === undefined) break
    const { checksum } = await petstore(environment, "copy", "--to", to)
    expect((await checksumOf(to))["checksum"]).toBe(checksum)
    expect((await checksumOf(url))["checksum"]).toBe(checksum)
  }
  expect(receiver.names().toSorted()).toStrictEqual(names)
  expect(read.toSorted()).toStrictEqual(names.slice(0, 24))
  const { stdout } = await run(on(urls[3] ?? ""), "webhooks", "list", "--json")
  expect(JSON.parse(stdout)).toMatchObject([{ disabled: null }])
})

it("an existing store is refused, and moved aside with --replace, as a file or as tables in another schema", async () => {
  const folder = temporaryFolder()
  const { environment } = await makeStore(folder)
  const target = `sqlite:${join(folder, "other.db")}`
  const url = await newPostgresDatabase()
  for (const to of [target, url]) {
    await petstore(on(to), "accounts", "create", "Before")
    const { exitCode, stderr } = await run(environment, "copy", "--to", to)
    expect({ exitCode, stderr }).toStrictEqual({
      exitCode: 1,
      stderr: expect.stringMatching(/There is already a store .*Pass --replace/),
    })
    const { movedAside } = await petstore(environment, "copy", "--to", to, "--replace")
    if (to === target) expect(existsSync(String(movedAside))).toBe(true)
    else expect(await rowsOf(url, `SELECT name FROM ${movedAside}.accounts`)).toStrictEqual([["Before"]])
    expect((await run(on(to), "accounts", "list")).stdout).toContain("Shop")
    expect((await run(on(to), "doctor", "--recount", "--json")).stdout).toContain('"differed":false')
  }
  expect((await run(environment, "copy", "--to", String(environment["DATABASE_URL"]))).stderr).toContain("the store itself")
})

it("a copy that fails after it moved an existing store aside says where that store is", async () => {
  const folder = temporaryFolder()
  const environment = environmentIn(folder)
  const url = await newPostgresDatabase()
  await petstore(on(url), "accounts", "create", "Before")
  await petstore(environment, "migrate")
  const file = new DatabaseSync(join(folder, "petstore.db"))
  // PostgreSQL has no text with U+0000, which the service refuses too.
  file.exec("INSERT INTO pets (name, category_id) VALUES ('a' || char(0) || 'b', 1)")
  file.close()
  const { exitCode, stderr } = await run(environment, "copy", "--to", url, "--replace")
  const [, aside] = /The previous store was moved to (\w+)\./.exec(stderr) ?? []
  expect(exitCode, stderr).toBe(1)
  expect(await rowsOf(url, `SELECT name FROM ${aside}.accounts`)).toStrictEqual([["Before"]])
})

it("a killed copy leaves nothing that a program accepts as a store, and its repetition makes the whole store", async () => {
  const folder = temporaryFolder()
  const environment = environmentIn(folder)
  writeFileSync(join(folder, "many.csv"), `name,categoryId\n${"Rex the dog,1\n".repeat(60_000)}`)
  await petstore(environment, "import", join(folder, "many.csv"))
  const { checksum } = await checksumOf(String(environment["DATABASE_URL"]))
  const url = await newPostgresDatabase()
  const target = join(folder, "copy.db")
  for (const to of [url, `sqlite:${target}`]) {
    const child = spawn(commandPath("petstore"), ["copy", "--to", to], { env: environment, stdio: "ignore" })
    const written = async () =>
      to === url
        ? rowsOf(url, "SELECT count(*) FROM pets").then(
            ([row]) => Number(row?.[0]),
            () => 0,
          )
        : Number(readdirSync(folder).some((name) => name.startsWith("copy.db.copy-unfinished")))
    await expect.poll(written, { interval: 5 }).toBeGreaterThan(0)
    child.kill("SIGKILL")
    if (to === url) {
      expect((await run(on(url), "accounts", "list")).stderr).toContain("unfinished copy")
    } else expect(existsSync(target)).toBe(false)
    expect((await petstore(environment, "copy", "--to", to))["checksum"]).toBe(checksum)
    expect((await checksumOf(to))["checksum"]).toBe(checksum)
  }
})
