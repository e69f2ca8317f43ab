/** `petstore copy` and `petstore checksum`: a whole store on another engine, and the proof that two stores are equal. */
import { text as textFrom } from "node:stream/consumers"
import {
  type CopyProgress,
  checksumStore,
  copyStore,
  type DatabaseUrl,
  decodeDatabaseUrl,
  nameOfStore,
  type WholeContents,
} from "@petstore/storage"
import { Effect } from "effect"
import type { Config } from "../config.js"
import { refusePlainText } from "../process/safety.js"
import { counted, type OutputOptions, print } from "./output.js"
import { warn, withConfig } from "./program.js"
import { type Progress, progressOf } from "./progress.js"
import { sayStore } from "./store.js"

interface CopyCommandOptions extends OutputOptions {
  readonly to: string
  readonly replace?: true
  readonly follow?: true
}

/** Runs work with its progress on standard error, with the rate and the time that is left. */
const withProgress = <A, E>(work: (onProgress: (progress: CopyProgress) => void) => Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.suspend(() => {
    let shown: { readonly step: string; readonly progress: Progress; readonly sinceMillis: number } | undefined
    const end = Effect.sync(() => shown?.progress.end())
    return work(({ step, done, total }) => {
      if (shown?.step !== step) {
        shown?.progress.end()
        shown = { step, progress: progressOf(step, "rows"), sinceMillis: performance.now() }
      }
      const rate = (Number(done) * 1_000) / Math.max(1, performance.now() - shown.sinceMillis)
      const note = `, ${Math.round(rate)} a second, ${Math.ceil(Number(total - done) / Math.max(1, rate))} s left`
      shown.progress.show(Number(done), Number(done) / Math.max(1, Number(total)), note)
    }).pipe(Effect.ensuring(end))
  })

/** Treats connections without TLS as the service does, also those to the new store. */
const plainTextOf = (config: Config) => (host: string, database: DatabaseUrl) =>
  refusePlainText({ ...config, database }, warn)(host)

const mayStop =
  "The copy is verified, and follows what is written. Now stop every service of the former store; start them on the new store once this command has ended.\n"

const rowsOf = ({ tables, checksum }: WholeContents) => ({
  tables: Object.fromEntries(tables.map(({ table, rows, checksum: sum }) => [table, { rows: Number(rows), checksum: sum }])),
  checksum,
})

const textOf = ({ tables, checksum }: WholeContents): string =>
  [...tables.map(({ table, rows, checksum: sum }) => `${table.padEnd(16)} ${String(rows).padStart(10)}  ${sum}`), checksum].join(
    "\n",
  )

export const copy = ({ to, replace, follow, ...options }: CopyCommandOptions) =>
  withConfig(function* (config) {
    const { database } = config
    const url = to === "-" ? (yield* Effect.promise(() => textFrom(process.stdin))).trimEnd() : to
    const target = yield* decodeDatabaseUrl(url)
    const { movedAside, ...contents } = yield* withProgress((onProgress) =>
      copyStore(database, target, {
        replace: replace === true,
        follow: follow && (() => void process.stderr.write(mayStop)),
        onProgress,
        onPlainText: plainTextOf(config),
      }),
    )
    yield* sayStore(target, movedAside === undefined)
    const pets = contents.tables.find(({ table }) => table === "pets")?.rows ?? 0n
    const before = movedAside === undefined ? "" : ` The previous store is at ${movedAside}.`
    print(
      options,
      { ...rowsOf(contents), movedAside: movedAside ?? null },
      `${textOf(contents)}\n${nameOfStore(target)} is a copy of ${nameOfStore(database)}: ${counted(pets, "animal")}, every table verified by its checksum.${before}`,
    )
  })

export const checksum = (options: OutputOptions) =>
  withConfig(function* (config) {
    const { database } = config
    const onPlainText = plainTextOf(config)
    const contents = yield* withProgress((onProgress) => checksumStore(database, { onProgress, onPlainText }))
    yield* sayStore(database)
    print(options, rowsOf(contents), textOf(contents))
  })
