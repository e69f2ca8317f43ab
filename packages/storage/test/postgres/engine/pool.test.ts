/** Tests a pool's connections after the server or the network stops responding. */
import { openProxy, type TcpProxy } from "@petstore/harness/proxy"
import { newPostgresDatabase } from "@petstore/test/postgres"
import { Either } from "effect"
import { expect, it } from "vitest"
import type { Rows, Statement } from "../../../src/postgres/engine/connection.js"
import type { StatementFailed } from "../../../src/postgres/engine/errors.js"
import { makePool, type Pool } from "../../../src/postgres/engine/pool.js"

const statementTimeoutMillis = 400

const withPool = async (size: number, use: (pool: Pool, line: TcpProxy) => Promise<void>) => {
  const line = await openProxy(await newPostgresDatabase())
  const options = { url: line.url, applicationName: "test", statementTimeoutMillis, connectTimeoutMillis: 20_000 }
  const pool = makePool(size, options)
  try {
    await use(pool, line)
  } finally {
    await pool.close()
    line.close()
  }
}

type Outcome = Either.Either<Rows, StatementFailed>

const submit = (pool: Pool, text: string, mayWaitFor: Statement["mayWaitFor"], answered = (_: Outcome): void => {}) =>
  new Promise<string>((resolve) =>
    pool.submit({ text, values: [], mayWaitFor }, performance.now() + 20_000, (outcome) => {
      answered(outcome)
      resolve(Either.match(outcome, { onLeft: ({ outcome }) => outcome, onRight: () => "answered" }))
    }),
  )

it("a pool cuts all connections, even idle ones, that have received nothing since one stopped responding", () =>
  withPool(4, async (pool, line) => {
    const fill = () => Promise.all(Array.from({ length: 100 }, () => submit(pool, "SELECT pg_sleep(0.01)", "nothing")))
    await expect.poll(async () => (await fill()) && pool.state().connections).toBe(4)
    line.loseAnswers()
    expect(await submit(pool, "SELECT 1", "a commit")).toBe("unknown")
    expect(pool.state().connections).toBe(0)
    expect(await submit(pool, "SELECT 1", "a commit")).toBe("answered")
  }))

it("a pool still writes on other connections if a closing connection never gets a result", () =>
  withPool(1, async (pool, line) => {
    const isStandby = "DO $$ BEGIN RAISE EXCEPTION 'as told' USING ERRCODE = '25006'; END $$"
    const lost = submit(pool, "SELECT 1", "nothing").then(() => {
      // The first statement's error closes the connection, and the second statement's result is lost.
      const first = submit(pool, isStandby, "nothing", line.loseAnswers)
      return { first, second: submit(pool, "SELECT pg_sleep(0.1)", "a row") }
    })
    expect(await (await lost).first).toBe("again")
    expect(await submit(pool, "SELECT 1", "a row")).toBe("answered")
    expect(await (await lost).second).toBe("unknown")
  }))
