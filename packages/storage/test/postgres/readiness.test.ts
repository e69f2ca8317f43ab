/** Locks that a check of a PostgreSQL store waits for, and others. */
import { CredentialRepository, Readiness } from "@petstore/core"
import { Effect } from "effect"
import { Client } from "pg"
import { expect, it } from "vitest"
import { withStore } from "../postgres-store.js"

/** Half of it is what a busy machine may add. */
const statementTimeoutMillis = 2_000

/** Locks every table for a part of the statement timeout, once the store has been open for longer than that. */
const withLockedTables = (check: Effect.Effect<unknown, unknown, Readiness | CredentialRepository>) =>
  withStore(
    async (store, url) => {
      const locker = new Client({ connectionString: url })
      await locker.connect()
      try {
        await new Promise((resolve) => setTimeout(resolve, statementTimeoutMillis + 50))
        await locker.query("BEGIN; LOCK TABLE pets, accounts, petstore_schema IN ACCESS EXCLUSIVE MODE")
        const checked = store.run(Effect.either(check))
        await new Promise((resolve) => setTimeout(resolve, statementTimeoutMillis / 2))
        await locker.query("COMMIT")
        expect(await checked).toMatchObject({ _tag: "Right" })
      } finally {
        await locker.end()
      }
    },
    { statementTimeoutMillis },
  )

it("counts the deadline of each check from its start", () => withLockedTables(Effect.flatMap(Readiness, ({ check }) => check)))

it("counts the deadline of each list from that list", () =>
  withLockedTables(Effect.flatMap(CredentialRepository, ({ listAccounts }) => listAccounts)))
