/** Tests how the adapter classifies the SQLSTATEs of errors from a real server. */
import { newPostgresDatabase } from "@petstore/test/postgres"
import { Cause, Effect, Either, Exit } from "effect"
import { Client, DatabaseError } from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import {
  doubtsCommit,
  endsConnection,
  isFaultOfRow,
  isUniqueViolation,
  isUnreachable,
  type Outcome,
  outcomeOf,
  StatementFailed,
  toFailure,
} from "../../../src/postgres/engine/errors.js"

let url = ""
const clients: Array<Client> = []

const open = async (address = url): Promise<Client> => {
  const client = new Client(address)
  client.on("error", () => {})
  clients.push(client)
  await client.connect()
  return client
}

/** A rejected promise's error. */
const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => expect.unreachable("the promise should have been rejected"),
    (thrown) => thrown,
  )

const codeOf = (thrown: unknown): string | undefined => (thrown instanceof DatabaseError ? thrown.code : undefined)

beforeAll(async () => {
  url = await newPostgresDatabase()
  const client = await open()
  await client.query("CREATE TABLE rows (id int8 PRIMARY KEY, text text); INSERT INTO rows VALUES (1, 'a'), (2, 'b')")
})

afterAll(() => Promise.all(clients.map((client) => client.end().catch(() => {}))))

/** The code, its outcome, and whether the connection becomes unusable. */
const table: ReadonlyArray<readonly [code: string, outcome: Outcome, ends: boolean]> = [
  ["08000", "unknown", false],
  ["08003", "unknown", false],
  ["08006", "unknown", false],
  ["08P01", "unknown", false],
  ["25006", "again", true],
  ["25P03", "unavailable", true],
  ["25P04", "unavailable", true],
  ["26000", "again", false],
  ["28000", "unavailable", false],
  ["28P01", "unavailable", false],
  ["3D000", "unavailable", false],
  ["40001", "again", false],
  ["40003", "unknown", false],
  ["40P01", "again", false],
  ["42501", "unavailable", false],
  ["42P05", "again", false],
  ["53000", "unavailable", false],
  ["53100", "unavailable", false],
  ["53200", "unavailable", false],
  ["53300", "unavailable", false],
  ["54000", "unavailable", false],
  ["55P03", "unavailable", false],
  ["57014", "unavailable", false],
  ["57P01", "unknown", true],
  ["57P02", "unknown", true],
  ["57P03", "again", true],
  ["57P04", "unavailable", true],
  ["57P05", "unknown", true],
  ["58000", "unavailable", false],
  ["58030", "unavailable", false],
  ["CIINF", "again", false],
  ["XX000", "unavailable", false],
  ["XX001", "unavailable", false],
  ["XX002", "unavailable", false],
  ["0A000", "unavailable", false],
  // Bugs in our SQL or our values.
  ["22003", "defect", false],
  ["22021", "defect", false],
  ["23502", "defect", false],
  ["23505", "defect", false],
  ["42601", "defect", false],
  ["42703", "defect", false],
  ["42P01", "defect", false],
]

/** Refusals that do not pass by themselves. */
const final: ReadonlySet<string> = new Set(["28000", "28P01", "3D000", "42501", "XX001", "XX002"])

describe("the outcome of", () => {
  for (const [code, outcome, ends] of table) {
    it(`${code} is ${outcome}${ends ? ", and the connection becomes unusable" : ""}`, async () => {
      const client = await open()
      const thrown = await failure(client.query(`DO $$ BEGIN RAISE EXCEPTION 'as told' USING ERRCODE = '${code}'; END $$`))
      expect(codeOf(thrown)).toBe(code)
      expect(outcomeOf(thrown)).toBe(outcome)
      expect(endsConnection(thrown)).toBe(ends)
      expect(isUnreachable(thrown)).toBe(outcome !== "defect" && !final.has(code))
    })
  }

  it("a value that did not come from a server is a defect", () => {
    expect(outcomeOf(new TypeError("a bug"))).toBe("defect")
    expect(endsConnection(new TypeError("a bug"))).toBe(false)
    expect(isUnreachable(new TypeError("a bug"))).toBe(false)
  })

  it("an address without a server is unreachable, but a server without TLS is not", async () => {
    expect(isUnreachable(await failure(open("postgres://petstore:x@127.0.0.1:1/petstore")))).toBe(true)
    expect(isUnreachable(await failure(open("postgres://petstore:x@localhost:1/petstore")))).toBe(true)
    expect(isUnreachable(await failure(open("postgres://petstore:x@nowhere.invalid/petstore")))).toBe(true)
    const encrypted = new URL(url)
    encrypted.searchParams.set("sslmode", "require")
    expect(isUnreachable(await failure(open(encrypted.href)))).toBe(false)
  })
})

/** Real errors, each provoked in the simplest way. */
const provoked: Readonly<Record<string, () => Promise<unknown>>> = {
  "40001": async () => {
    const [one, other] = [await open(), await open()]
    for (const client of [one, other]) await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT * FROM rows")
    await one.query("UPDATE rows SET text = 'c' WHERE id = 1; COMMIT")
    return other.query("UPDATE rows SET text = 'd' WHERE id = 1")
  },
  "40P01": async () => {
    const [one, other] = [await open(), await open()]
    for (const client of [one, other]) await client.query("SET deadlock_timeout = '10ms'; BEGIN")
    await one.query("UPDATE rows SET text = 'c' WHERE id = 1")
    await other.query("UPDATE rows SET text = 'c' WHERE id = 2")
    return Promise.all([
      one.query("UPDATE rows SET text = 'd' WHERE id = 2"),
      other.query("UPDATE rows SET text = 'd' WHERE id = 1"),
    ])
  },
  "25006": async () => (await open()).query("BEGIN READ ONLY; INSERT INTO rows VALUES (3)"),
  "42501": async () => {
    const client = await open()
    await client.query("CREATE ROLE without_rights_42501; SET ROLE without_rights_42501")
    return client.query("SELECT * FROM rows")
  },
  "55P03": async () => {
    await (await open()).query("BEGIN; LOCK TABLE rows")
    return (await open()).query("SET lock_timeout = '10ms'; SELECT * FROM rows")
  },
  "57014": async () => (await open()).query("SET statement_timeout = '10ms'; SELECT pg_sleep(60)"),
  "57P01": async () => (await open()).query("SELECT pg_terminate_backend(pg_backend_pid())"),
  "57P05": async () => {
    const client = await open()
    const ended = new Promise((_, reject) => client.once("error", reject))
    await client.query("SET idle_session_timeout = '10ms'")
    return ended
  },
  "28P01": async () => {
    const wrong = new URL(url)
    wrong.password = "wrong"
    return open(wrong.href)
  },
  "3D000": async () => {
    const wrong = new URL(url)
    wrong.pathname = "/missing"
    return open(wrong.href)
  },
  "53300": async () => {
    const client = await open()
    await client.query("CREATE ROLE lonely_53300 LOGIN PASSWORD 'p' CONNECTION LIMIT 0")
    const other = new URL(url)
    other.username = "lonely_53300"
    other.password = "p"
    return open(other.href)
  },
  "22021": async () => (await open()).query("SELECT $1::text", ["a\0b"]),
  "23505": async () => (await open()).query("INSERT INTO rows VALUES (1)"),
  "42601": async () => (await open()).query("SELEKT"),
  "42P01": async () => (await open()).query("SELECT * FROM missing"),
  "26000": async () => (await open()).query("EXECUTE missing"),
  "42P05": async () => (await open()).query("PREPARE twice AS SELECT 1; PREPARE twice AS SELECT 1"),
}

describe("PostgreSQL itself sends", () => {
  for (const [code, provoke] of Object.entries(provoked)) {
    it(code, async () => {
      const thrown = await failure(provoke())
      // Otherwise the lock of the 55P03 test would block later tests.
      await Promise.all(clients.splice(1).map((client) => client.end().catch(() => {})))
      expect(codeOf(thrown)).toBe(code)
      expect(table.find(([known]) => known === code)?.[1]).toBe(outcomeOf(thrown))
    })
  }
})

describe("a failed statement", () => {
  const failed = (cause: unknown) => new StatementFailed({ outcome: outcomeOf(cause), cause })

  it("is classified as a unique violation, another fault of its row, or neither", async () => {
    const client = await open()
    const unique = failed(await failure(client.query("INSERT INTO rows VALUES (1)")))
    const value = failed(await failure(client.query("SELECT 'x'::int8")))
    const syntax = failed(await failure(client.query("SELEKT")))
    expect([unique, value, syntax].map(isUniqueViolation)).toStrictEqual([true, false, false])
    expect([unique, value, syntax].map(isFaultOfRow)).toStrictEqual([true, true, false])
  })

  it("becomes StorageUnavailable, or a defect if the bug is ours", () => {
    const cause = new Error("why")
    for (const outcome of ["again", "unknown", "unavailable"] as const) {
      const result = Effect.runSync(Effect.either(toFailure(new StatementFailed({ outcome, cause }))))
      expect(Either.flip(result)).toMatchObject({ right: { _tag: "StorageUnavailable", cause } })
    }
    const exit = Effect.runSyncExit(toFailure(new StatementFailed({ outcome: "defect", cause })))
    expect(Exit.isFailure(exit) && Cause.isDie(exit.cause) && Cause.squash(exit.cause)).toBe(cause)
  })
})

/** Messages sent during successful writes: by PostgreSQL, and by Citus 13 while workers were killed. */
const notices: ReadonlyArray<
  readonly [code: string, routine: string, message: string, doubts: "nowhere" | "on Citus" | "everywhere"]
> = [
  ["01000", "SyncRepWaitForLSN", "canceling wait for synchronous replication due to user request", "everywhere"],
  ["01000", "DefaultCitusNoticeReceiver", "canceling wait for synchronous replication due to user request", "on Citus"],
  ["01000", "FinishRemoteTransactionCommit", "failed to commit transaction on 127.0.0.1:5433", "on Citus"],
  ["XX000", "ReportResultError", "server closed the connection unexpectedly", "on Citus"],
  ["57P01", "ReportResultError", "terminating connection due to unexpected postmaster exit", "on Citus"],
  ["57P01", "DefaultCitusNoticeReceiver", "terminating connection due to unexpected postmaster exit", "on Citus"],
  ["08006", "ReportConnectionError", "connection to the remote node petstore@127.0.0.1:5433 failed", "on Citus"],
  ["01000", "GetNewTransactionId", "Datenbank »petstore« muss innerhalb von 39985967 Transaktionen gevacuumt werden", "nowhere"],
  ["01000", "GetNewMultiXactId", 'database "petstore" must be vacuumed before 39985967 more MultiXactIds are used', "nowhere"],
  ["01000", "DefaultCitusNoticeReceiver", 'database "petstore" must be vacuumed within 39985967 transactions', "nowhere"],
  ["00000", "NonPushableInsertSelectExecScan", "Collecting INSERT ... SELECT results on coordinator", "nowhere"],
  [
    "0A000",
    "DistributedInsertSelectSupported",
    "distributed INSERT ... SELECT can only select from distributed tables",
    "nowhere",
  ],
]

describe("a commit", () => {
  for (const [code, routine, message, doubts] of notices) {
    it(`${doubts === "nowhere" ? "is not in doubt" : `is in doubt ${doubts}`} after ${code} from ${routine}: ${message}`, () => {
      const answer = [true, false].map((isSpread) => doubtsCommit({ code, routine, message }, isSpread))
      expect(answer).toStrictEqual([doubts !== "nowhere", doubts === "everywhere"])
    })
  }
})
