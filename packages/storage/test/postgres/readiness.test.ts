import { CredentialRepository, Readiness } from "@petstore/core"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { withClient, withStore } from "../postgres-store.js"

/** Half of this is an allowance for a busy machine. */
const statementTimeoutMillis = 2_000

/** Locks the tables for part of the statement timeout, after the store has been open for longer than the timeout. */
const withLockedTables = (check: Effect.Effect<unknown, unknown, Readiness | CredentialRepository>) =>
  withStore(
    async (store, url) => {
      await withClient(url, async (locker) => {
        await new Promise((resolve) => setTimeout(resolve, statementTimeoutMillis + 50))
        await locker.query("BEGIN; LOCK TABLE pets, accounts, petstore_schema IN ACCESS EXCLUSIVE MODE")
        const checked = store.run(Effect.either(check))
        await new Promise((resolve) => setTimeout(resolve, statementTimeoutMillis / 2))
        await locker.query("COMMIT")
        expect(await checked).toMatchObject({ _tag: "Right" })
      })
    },
    { statementTimeoutMillis },
  )

it("measures the timeout of every check from the start of the check", () =>
  withLockedTables(Effect.flatMap(Readiness, ({ check }) => check)))

it("measures the timeout of every list from the start of the request", () =>
  withLockedTables(Effect.flatMap(CredentialRepository, ({ listAccounts }) => listAccounts)))
