import { newPostgresDatabase, statementsOf } from "@petstore/test/postgres"
import { Client } from "pg"
import { expect, it } from "vitest"

it("statementsOf returns every statement of a program, even between long statements of other programs", async () => {
  const url = await newPostgresDatabase({ logsStatements: true })
  const connect = async (name: string) => {
    const client = new Client({ connectionString: url, application_name: name })
    await client.connect()
    return client
  }
  const repeat = async (name: string, text: string, times: number) => {
    const client = await connect(name)
    for (let time = 0; time < times; time += 1) await client.query(text)
    await client.end()
  }
  // The statement is longer than a pipe accepts at once, so the server writes it in parts.
  const long = `SELECT length('${"long ".repeat(40_000)}')`
  await Promise.all([repeat("long", long, 20), repeat("other", long, 20), repeat("short", "SELECT 1", 200)])
  await expect
    .poll(async () => (await statementsOf(url, "short")).filter((text) => text === "statement: SELECT 1").length)
    .toBe(200)
})
