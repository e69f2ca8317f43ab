import { CredentialRepository, Readiness } from "@petstore/core"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { withClient, withStore } from "../postgres-store.js"

/** Half of this timeout is an allowance for a busy machine. */
const statementTimeoutMillis = 2_000

/** Locks the tables for half of the statement timeout, after the store has been open for longer than the timeout. */
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

it("a readiness check's timeout starts when the check starts", () =>
  withLockedTables(Effect.flatMap(Readiness, ({ check }) => check)))

it("the timeout of a list of accounts starts when the request starts", () =>
  withLockedTables(Effect.flatMap(CredentialRepository, ({ listAccounts }) => listAccounts)))
