import { CredentialRepository, DeprecatedCallRepository } from "@petstore/core"
import { getPetDeprecation } from "@petstore/core/contract"
import { accountNames } from "./accounts.js"
import { columns, type OutputOptions, print } from "./output.js"
import type { OpenStore } from "./store.js"

export const deprecations = (open: OpenStore, options: OutputOptions) =>
  open(function* () {
    const names = yield* accountNames
    const keys = yield* (yield* CredentialRepository).listApiKeys
    const accountOfKey = new Map(keys.map(({ id, accountId }) => [id, names.get(accountId)]))
    const calls = (yield* (yield* DeprecatedCallRepository).list).map(({ operation, keyId, calls, lastCalledAt }) => ({
      operation,
      keyId,
      account: accountOfKey.get(keyId) ?? null,
      calls,
      lastCalledAt: lastCalledAt.toISOString(),
      sunset: getPetDeprecation.sunset,
    }))
    const rows = calls.map((row) => [row.operation, row.keyId, String(row.calls), row.lastCalledAt, row.account ?? "-"])
    const table = columns(["OPERATION", "KEY", "CALLS", "LAST CALLED", "ACCOUNT"], rows)
    print(options, calls, rows.length === 0 ? "No API key has called a deprecated operation." : table)
  })
