/** Webhooks and readers of the feed while `petstore migrate --distribute` moves the changes to other slots. */
import { environmentIn, petstore } from "@petstore/harness/command"
import { serve, temporaryFolder } from "@petstore/harness/testing"
import { newCitusDatabase } from "@petstore/test/postgres"
import { expect, it } from "vitest"
import { openReceiver } from "../webhooks/receiver.js"

it("webhooks miss nothing of a store that is distributed while it is served, and readers skip nothing", async () => {
  const url = await newCitusDatabase()
  const environment = environmentIn(temporaryFolder(), { DATABASE_URL: url })
  const [prompt, late] = [await openReceiver(), await openReceiver()]
  const start = "/v1/changes?order=asc&limit=15"
  let service = await serve(environment)
  const headers = { Authorization: `Bearer ${service.key}`, "Content-Type": "application/json" }
  const ids: Array<string> = []
  for (const { url: to } of [prompt, late]) ids.push(String((await petstore(environment, "webhooks", "add", to))["id"]))
  const names: Array<string> = []
  const write = async (count: number) => {
    for (let made = 0; made < count; ) {
      const name = `pet ${names.length}`
      const body = JSON.stringify({ name, categoryId: 1 })
      const { status } = await fetch(`${service.baseUrl}/pets`, {
        method: "POST",
        headers: { ...headers, "Idempotency-Key": `pet-${names.length}` },
        body,
      })
      // Writes to a table that moves may fail, and are repeated.
      if (status !== 201) continue
      names.push(name)
      made += 1
    }
  }
  /** The names of a reader's next pages, and the cursor behind them; `undefined` if the cursor is refused. */
  const readOn = async (path: string) => {
    const response = await fetch(`${new URL(service.baseUrl).origin}${path}`, { headers })
    const text = await response.text()
    if (response.status === 410) return undefined
    expect(response.status, text).toBe(200)
    const changes: ReadonlyArray<{ readonly after: { readonly pet: { readonly name: string } } }> = JSON.parse(text)
    const next = /<([^>]+)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1] ?? ""
    return { read: changes.map(({ after }) => after.pet.name), next }
  }
  const followFrom = async (from: string, before: ReadonlyArray<string> = []) => {
    let [path, read] = [from, before]
    for (;;) {
      const page = await readOn(path)
      if (page === undefined) return undefined
      if (page.read.length === 0) return { read, next: page.next }
      path = page.next
      read = [...read, ...page.read]
    }
  }

  await write(30)
  for (const { names: received } of [prompt, late]) await expect.poll(received, { timeout: 60_000 }).toHaveLength(30)
  await petstore(environment, "webhooks", "disable", ids[1] ?? "")
  const half = await readOn(start)
  await write(30)
  const whole = await followFrom(start)
  expect(whole?.read.toSorted()).toStrictEqual(names.toSorted())
  await expect.poll(prompt.names, { timeout: 60_000 }).toHaveLength(60)

  const distributed = petstore(environment, "migrate", "--distribute")
  await write(20)
  await distributed
  await write(20)
  // The service still has the statements of one node.
  expect((await fetch(`${service.baseUrl}/changes`, { headers })).status).toBe(503)
  await service.stop()
  service = await serve(environment)
  await write(20)
  await petstore(environment, "webhooks", "enable", ids[1] ?? "")

  for (const page of [half, whole]) {
    // A cursor that is not refused must go on with every later change.
    const all = page && (await followFrom(page.next, page.read))
    if (all !== undefined) expect(new Set(all.read)).toStrictEqual(new Set(names))
  }
  const all = await followFrom(start)
  expect(all?.read.toSorted()).toStrictEqual(names.toSorted())
  for (const { names: received } of [prompt, late]) {
    await expect.poll(() => new Set(received()), { timeout: 60_000 }).toStrictEqual(new Set(names))
    expect(received().length).toBeLessThan(2 * names.length)
  }
})
