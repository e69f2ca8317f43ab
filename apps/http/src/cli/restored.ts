/** `petstore migrate --restored`: settles a PostgreSQL store after `pg_restore`. */
import { readFileSync } from "node:fs"
import { Schema } from "@effect/schema"
import { decodeDatabaseUrl } from "@petstore/storage"
import { type ListedKey, settleRestoredStore } from "@petstore/storage/internal"
import { Effect } from "effect"
import { refusePlainText } from "../process/safety.js"
import { aboutKeys } from "./backup.js"
import { type OutputOptions, print } from "./output.js"
import { CommandFailed, messageOf, WrongUsage, warn, withConfig } from "./program.js"
import { sayStore } from "./store.js"

interface RestoredOptions extends OutputOptions {
  readonly former?: string
  readonly keys?: string
}

const Timestamp = Schema.NullOr(Schema.Date)
const List = Schema.parseJson(
  Schema.Array(Schema.Struct({ id: Schema.String, expiresAt: Timestamp, revokedAt: Timestamp, accountDisabledAt: Timestamp })),
)

const millisOf = (date: Date | null): bigint | null => (date === null ? null : BigInt(date.getTime()))

/** Reads a list that `petstore keys list --json` wrote. */
const readList = (file: string): Effect.Effect<ReadonlyArray<ListedKey>, CommandFailed> =>
  Effect.try(() => readFileSync(file, "utf8")).pipe(
    Effect.mapError(({ cause }) => new CommandFailed({ reason: `${file} cannot be read: ${messageOf(cause)}.` })),
    Effect.flatMap((text) =>
      Effect.mapError(
        Schema.decodeUnknown(List)(text),
        () => new CommandFailed({ reason: `${file} is not a list that petstore keys list --json wrote.` }),
      ),
    ),
    Effect.map((keys) =>
      keys.map(({ id, ...dates }) => ({
        id,
        expiresAt: millisOf(dates.expiresAt),
        revokedAt: millisOf(dates.revokedAt),
        accountDisabledAt: millisOf(dates.accountDisabledAt),
      })),
    ),
  )

const accept = "To accept more of them, restore again and pass --former or --keys"

export const settleRestored = ({ former, keys: list, ...options }: RestoredOptions) =>
  withConfig(function* (config) {
    const { database } = config
    if (former !== undefined && list !== undefined) {
      return yield* new WrongUsage({ reason: "Pass either --former or --keys: the former database knows more than a list." })
    }
    const known = former === undefined ? undefined : yield* decodeDatabaseUrl(former)
    if (known !== undefined && known.adapter !== "postgres") {
      return yield* new WrongUsage({ reason: "--former: expected the URL of a PostgreSQL database." })
    }
    const listed = list === undefined ? undefined : yield* readList(list)
    const onPlainText = refusePlainText(config, warn)
    const { given, keys } = yield* settleRestoredStore(database, { former: known?.url, listed, onPlainText })
    yield* sayStore(database)
    for (const line of aboutKeys(config, keys, { accept })) process.stderr.write(`petstore: ${line}\n`)
    if (list !== undefined) warn(`Keys that were revoked after ${list} was written are accepted again: revoke them.`)
    const { account: _, ...counts } = keys
    print(
      options,
      { migrated: true, given: { pets: String(given.pets), orders: String(given.orders) }, keys: counts },
      `The restored store is settled: the identifiers of new animals are above ${given.pets}, and those of new orders above ${given.orders}.`,
    )
  })
