/** `petstore import --key COLUMN --ids FILE` (experimental): remembers which key of another system became which pet. */
import { createHash, randomUUID } from "node:crypto"
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, truncateSync, writeFileSync } from "node:fs"
import {
  decodePetCorrection,
  type Pet,
  type PetId,
  PetNotFound,
  PetRepository,
  PetReserved,
  type ValidNewPet,
} from "@petstore/core"
import { showJson } from "@petstore/core/internal"
import { csvParser, type Decoded, encodeCsvRecord, type RowDecoder } from "@petstore/pet-files"
import { DateTime, Effect, Either, Stream } from "effect"
import { byImport, explain, type ImportFile, type ImportOptions, type ImportReport, readBatches, survey } from "./import-file.js"
import { type KeyedCounts, kindsFrom, noCounts } from "./keyed-counts.js"
import { CommandFailed, messageOf } from "./program.js"

/** A new pet, and the key that it has in its file. */
export interface KeyedPet {
  readonly key: string
  readonly pet: ValidNewPet
}

/** How many rows share the sync of the file of identifiers. */
const keyedBatch = 1_000

/** How long an interrupted import can be continued without a doubt, in ms: a year. */
const claimMillis = 366 * 24 * 60 * 60 * 1000

/** Also decodes each row's key: text without line breaks, or an integer. */
export const keyedRows = ({ columns, fromCells, fromJson }: RowDecoder<ValidNewPet>, column: string): RowDecoder<KeyedPet> => {
  const withKey = (given: unknown, pet: Decoded<ValidNewPet>): Decoded<KeyedPet> => {
    const key = typeof given === "number" || typeof given === "bigint" ? String(given) : given
    if (typeof key === "string" && /^[^\r\n]+$/.test(key.trim()))
      return pet.problems === undefined ? { value: { key: key.trim(), pet: pet.value } } : pet
    const problem = { field: column, expected: "expected a key in one line", received: showJson(given) }
    return { problems: [problem] }
  }
  return {
    columns: { required: [...columns.required, column], optional: columns.optional },
    fromCells: (layout) => {
      const decode = fromCells(layout)
      const place = layout.columnOf[column] ?? -1
      return (cells) => withKey(cells[place], decode(cells))
    },
    // Safe: a value that is not an object has no key.
    fromJson: (json) => withKey((json as Readonly<Record<string, unknown>> | null)?.[column], fromJson(json)),
  }
}

/** A digest of a pet's content, by which a later import sees whether its row changed. */
const contentOf = ({ name, categoryId, status }: ValidNewPet | Pet): string =>
  createHash("sha256")
    .update(JSON.stringify([name, String(categoryId), status ?? null]))
    .digest("base64url")
    .slice(0, 22)

/** Locks the file of identifiers by SQLite's lock of an empty file beside it, which ends with the process. */
const lockIds = (path: string) =>
  Effect.tryPromise({
    try: async () => {
      const { DatabaseSync } = await import("node:sqlite")
      const lock = new DatabaseSync(`${path}.lock`)
      try {
        lock.exec("BEGIN EXCLUSIVE")
      } catch (thrown) {
        lock.close()
        throw thrown
      }
      return lock
    },
    catch: (thrown) =>
      new CommandFailed({
        reason: /locked/.test(messageOf(thrown))
          ? `${path} is in use by another import.`
          : `${path}.lock cannot be used: ${messageOf(thrown)}.`,
      }),
  })

/** Reads the complete lines of a file of identifiers, which need not exist. */
const readIds = (path: string) => {
  const text = existsSync(path) ? readFileSync(path, "utf8") : ""
  const whole = text.slice(0, text.lastIndexOf("\n") + 1)
  const csv = csvParser(",")
  const [header, ...records] = [...csv.take(whole), ...csv.end()]
  const [key, id, mark = ""] = header?.cells ?? ["key", "id", `content-${randomUUID()}`]
  if (key !== "key" || id !== "id" || !mark.startsWith("content-")) throw new Error(`${path} is not a file of identifiers`)
  const kept = new Map(
    records.map(({ cells: [name = "", petId = "", content = ""] }) => [name, { id: BigInt(petId) as PetId, content }]),
  )
  return {
    header: [key, id, mark],
    isNew: header === undefined,
    mark,
    kept,
    wholeBytes: Buffer.byteLength(whole),
    isCut: whole !== text,
  }
}

/** Opens or creates the file of identifiers. A line that a kill cut off is removed. */
const openIds = (path: string) => {
  const { header, isNew, mark, kept, wholeBytes, isCut } = readIds(path)
  if (isCut) truncateSync(path, wholeBytes)
  const descriptor = openSync(path, "a", 0o600)
  const append = (lines: string): void => {
    // Unlike `writeSync`, writes every line, or throws.
    writeFileSync(descriptor, lines)
    fsyncSync(descriptor)
  }
  if (isNew) append(encodeCsvRecord(header))
  return {
    mark,
    find: (name: string) => kept.get(name),
    keep: (rows: ReadonlyArray<{ readonly key: string; readonly id: PetId; readonly content: string }>) =>
      Effect.try({
        try: () => {
          if (rows.length === 0) return
          append(rows.map((row) => encodeCsvRecord([row.key, String(row.id), row.content])).join(""))
          for (const row of rows) kept.set(row.key, row)
        },
        catch: (thrown) => new CommandFailed({ reason: `${path} cannot be written: ${messageOf(thrown)}.` }),
      }),
    close: () => closeSync(descriptor),
  }
}

const unusable = (path: string) => (thrown: unknown) =>
  new CommandFailed({ reason: `${path} cannot be used: ${messageOf(thrown)}.` })

/** What an import would do, by the lines of the file of identifiers: adds nothing, and counts what is known of the rows. */
export const surveyKeyed = (
  file: ImportFile,
  report: ImportReport,
  decoder: RowDecoder<KeyedPet>,
  options: ImportOptions,
  path: string,
  seen: (pet: ValidNewPet, kind: keyof KeyedCounts, id: PetId | undefined) => void,
) =>
  Effect.gen(function* () {
    const { kept } = yield* Effect.try({ try: () => readIds(path), catch: unusable(path) })
    const counts = noCounts()
    report.keyed = counts
    const kindIn = kindsFrom((key) => kept.get(key)?.content)
    yield* survey(file, report, decoder, options, ({ key, pet }) => {
      const kind = kindIn(key, contentOf(pet))
      counts[kind] += 1
      seen(pet, kind, kept.get(key)?.id)
    })
  })

/**
 * Adds what is new and corrects what changed. Each row is inserted under an idempotency key: if a kill falls between the commit and
 * the line in the file of identifiers, the next import gets the pet that was stored.
 */
export const importKeyed = (
  file: ImportFile,
  report: ImportReport,
  decoder: RowDecoder<KeyedPet>,
  options: ImportOptions,
  path: string,
) =>
  Effect.gen(function* () {
    const { insertOnce, correctAll } = yield* PetRepository
    yield* Effect.acquireRelease(lockIds(path), (lock) => Effect.sync(() => lock.close()))
    const ids = yield* Effect.acquireRelease(
      Effect.try({
        try: () => openIds(path),
        catch: unusable(path),
      }),
      ({ close }) => Effect.sync(close),
    )
    const claimOf = (key: string, claimedAt: Date) => {
      const digest = createHash("sha256").update(`${ids.mark} ${key}`).digest("hex")
      const expiresAt = new Date(claimedAt.getTime() + claimMillis)
      return { accountId: "petstore import", operation: "import", key: digest, fingerprint: digest, claimedAt, expiresAt }
    }
    const counts = noCounts()
    report.keyed = counts
    yield* Stream.runForEach(
      Stream.grouped(Stream.flatMap(readBatches(file, report, decoder, options), Stream.fromIterable), keyedBatch),
      (rows) =>
        Effect.gen(function* () {
          const good = report.takeAll(rows).map(({ row, value }) => ({ row, ...value, content: contentOf(value.pet) }))
          const kindIn = kindsFrom((key) => ids.find(key)?.content)
          const kinds = good.map(({ key, content }) => kindIn(key, content))
          const fresh = [...new Map(good.filter(({ key }) => ids.find(key) === undefined).map((one) => [one.key, one])).values()]
          const now = yield* DateTime.nowAsDate
          const made = yield* Effect.forEach(fresh, ({ pet, key }) => insertOnce(pet, claimOf(key, now), byImport), {
            concurrency: "unbounded",
          })
          const stored = made.map(({ value, isNew }, index) => ({
            key: fresh[index]?.key ?? "",
            id: value.id,
            content: contentOf(value),
            isNew,
          }))
          yield* ids.keep(stored.filter(({ isNew }) => isNew))
          // The row may have changed since an interrupted import stored the pet.
          const unsure = new Map(stored.filter(({ isNew }) => !isNew).map(({ key, id }) => [key, { id, content: "" }]))
          // The last row of a key counts.
          const last = new Map(good.map((one) => [one.key, one]))
          const changed = [...last.values()].flatMap((one) => {
            const known = unsure.get(one.key) ?? ids.find(one.key)
            const correction = decodePetCorrection({ ...one.pet, status: one.pet.status ?? null })
            return known === undefined || known.content === one.content || Either.isLeft(correction)
              ? []
              : [{ ...one, id: known.id, correction: correction.right }]
          })
          const outcomes =
            changed.length === 0
              ? []
              : yield* correctAll(
                  changed.map(({ id, correction }) => [id, correction]),
                  byImport,
                )
          const done = changed.filter((_, index) => outcomes[index] === "done")
          yield* ids.keep(done)
          for (const [index, { row, id }] of changed.entries()) {
            if (outcomes[index] === "not-found") report.reject(row, new PetNotFound({ petId: id }).message)
            if (outcomes[index] === "reserved") report.reject(row, new PetReserved({ petId: id }).message)
          }
          for (const kind of kinds) counts[kind] += 1
          counts.changed -= changed.length - done.length
          report.kept += good.length - (changed.length - done.length)
          yield* report.writeRejected
        }),
    )
  }).pipe(
    Effect.scoped,
    Effect.mapError((failure) => {
      const reason = failure._tag === "IdempotencyKeyReused" ? "A key was used before." : explain(failure)
      return new CommandFailed({ reason: `${reason} To go on, run the same command again.` })
    }),
  )
