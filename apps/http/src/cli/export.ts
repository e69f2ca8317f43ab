/** `petstore export`: all animals, or all orders, into a file or to standard output. */
import { open, realpath, rename, rm, stat } from "node:fs/promises"
import { dirname } from "node:path"
import {
  closings,
  encodeOrder,
  type Order,
  OrderRepository,
  type Pet,
  type PetId,
  PetRepository,
  type PetStatus,
  placing,
  type StorageUnavailable,
} from "@petstore/core"
import { Effect, Option } from "effect"
import { type PetFileFormat, petFileEncoders, petFileFormatOf } from "./files/pet-file.js"
import { type OutputOptions, print } from "./output.js"
import { CommandFailed, WrongUsage, withKeptServices } from "./program.js"
import { progressOf } from "./progress.js"

/** Animals or orders that are read at once. */
const pageLimit = 1_000

/** The name of a file that stands for standard output. */
const standardOutput = "-"

export interface ExportOptions extends OutputOptions {
  readonly format?: PetFileFormat
  /** Writes orders, as NDJSON, in place of animals. */
  readonly orders?: true
  /** Writes animals as they were before anybody ordered them. */
  readonly beforeOrders?: true
}

export const exportStore = (file: string, options: ExportOptions) =>
  withKeptServices(() =>
    Effect.gen(function* () {
      const format = options.format ?? Option.getOrElse(petFileFormatOf(file), () => "ndjson" as const)
      if (options.orders === true && format !== "ndjson") {
        return yield* new WrongUsage({ reason: "Orders are written as NDJSON: name a file that ends in .ndjson." })
      }
      if (options.orders === true && options.beforeOrders === true) {
        return yield* new WrongUsage({ reason: "--before-orders is for animals: export the orders into a file of their own." })
      }
      const pets = options.beforeOrders === true ? readPetsBeforeOrders : readPets
      const writeAll: WriteAll = options.orders === true ? writeOrders : writePets(format, pets)
      if (file !== standardOutput) {
        const exported = yield* writeFile(file, writeAll)
        const what = options.orders === true ? "orders" : "animals"
        print(options, { exported, file }, `${exported} ${what} exported to ${file}.`)
      } else if (options.json === true) {
        return yield* new WrongUsage({ reason: "--json would stand between the rows on standard output: name a file." })
      } else yield* writeAll(writeToStandardOutput)
    }),
  )

type Write = (text: string) => Promise<unknown>

/** Writes everything, and answers how much there was. */
type WriteAll = (write: Write) => Effect.Effect<number, StorageUnavailable | CommandFailed, PetRepository | OrderRepository>

/** Reads a page of rows that follow an identifier. */
type ReadPage<Row extends { readonly id: bigint }> = (
  after: Option.Option<Row["id"]>,
) => Effect.Effect<ReadonlyArray<Row>, StorageUnavailable>

const readPets = Effect.map(
  PetRepository,
  ({ list }): ReadPage<Pet> =>
    (after) =>
      list({ status: Option.none(), after, limit: pageLimit }),
)

const readOrders = Effect.map(
  OrderRepository,
  ({ list }): ReadPage<Order> =>
    (after) =>
      list({ status: Option.none(), after, limit: pageLimit }),
)

/** The statuses to which orders take an animal that was available, beside that one. */
const statusesOfOrders: ReadonlySet<PetStatus | undefined> = new Set(
  [placing.to, closings.complete.pet, closings.cancel.pet].filter((status) => status !== placing.from),
)

/** Reads every row, page after page. */
const readAll = <Row extends { readonly id: bigint }>(
  read: ReadPage<Row>,
  use: (row: Row) => void,
): Effect.Effect<void, StorageUnavailable> =>
  Effect.gen(function* () {
    let page: ReadonlyArray<Row>
    let after = Option.none<Row["id"]>()
    do {
      page = yield* read(after)
      for (const row of page) use(row)
      after = Option.fromNullable(page.at(-1)?.id)
    } while (page.length === pageLimit)
  })

/**
 * Reads animals as they were before their first order: one that was ever ordered had to be available.
 * Orders are never removed, and an animal changes its status in the transaction of its order. So one that is `pending` or
 * `sold` either was ordered, which shows in the orders when they are all read after it, or was made so and stays so.
 * They are read again, from the first, for each page with such an animal of which neither is known yet:
 * a store may commit an order behind others with higher identifiers.
 */
const readPetsBeforeOrders = Effect.gen(function* () {
  const { list } = yield* PetRepository
  const [pageOfPets, pageOfOrders] = [yield* readPets, yield* readOrders]
  const ordered = new Set<PetId>()
  const madeSo = new Set<PetId>()
  const learnOrders = readAll(pageOfOrders, ({ petId }) => ordered.add(petId))
  const decide = (pets: Iterable<PetId>) =>
    Effect.map(learnOrders, () => {
      for (const id of pets) if (!ordered.has(id)) madeSo.add(id)
    })
  const isUnknown = ({ id, status }: Pet) => statusesOfOrders.has(status) && !ordered.has(id) && !madeSo.has(id)

  const known: Array<PetId> = []
  for (const status of statusesOfOrders) {
    yield* readAll<Pet>(
      (after) => list({ status: Option.fromNullable(status), after, limit: pageLimit }),
      ({ id }) => known.push(id),
    )
  }
  yield* decide(known)

  return (after: Option.Option<PetId>) =>
    Effect.gen(function* () {
      const page = yield* pageOfPets(after)
      const unknown = page.filter(isUnknown).map(({ id }) => id)
      if (unknown.length > 0) yield* decide(unknown)
      return page.map((pet): Pet => (ordered.has(pet.id) ? { ...pet, status: placing.from } : pet))
    })
})

/** Writes all animals by ascending id and answers how many there were. What is added meanwhile may be among them. */
const writePets =
  (format: PetFileFormat, pages: typeof readPets | typeof readPetsBeforeOrders): WriteAll =>
  (write) =>
    Effect.flatMap(pages, (read) => {
      const { start, encode } = petFileEncoders[format]
      return writeRows<Pet>(write, start, encode, read, "animals")
    })

/** The same for orders. The status of one that changes meanwhile may be the former. */
const writeOrders: WriteAll = (write) =>
  Effect.flatMap(readOrders, (read) => writeRows<Order>(write, "", (order) => `${encodeOrder(order)}\n`, read, "orders"))

/** Writes page after page, each read after the last identifier of the one before. */
const writeRows = <Row extends { readonly id: bigint }>(
  write: Write,
  start: string,
  encode: (row: Row) => string,
  read: ReadPage<Row>,
  what: "animals" | "orders",
): Effect.Effect<number, StorageUnavailable | CommandFailed> =>
  Effect.gen(function* () {
    const progress = yield* Effect.acquireRelease(
      Effect.sync(() => progressOf("export", what)),
      ({ end }) => Effect.sync(end),
    )
    yield* tryFile(() => write(start))
    let exported = 0
    let page: ReadonlyArray<Row>
    let after = Option.none<Row["id"]>()
    do {
      page = yield* read(after)
      const text = page.map(encode).join("")
      yield* tryFile(() => write(text))
      exported += page.length
      after = Option.fromNullable(page.at(-1)?.id)
      progress.show(exported, Option.none())
    } while (page.length === pageLimit)
    return exported
  }).pipe(Effect.scoped)

/**
 * Makes a file that is whole or not there: it is written under another name beside
 * its own, and takes its own when every byte is on disk. What was there before is replaced.
 */
const writeFile = <E, R>(
  file: string,
  writeAll: (write: Write) => Effect.Effect<number, E, R>,
): Effect.Effect<number, E | CommandFailed | WrongUsage, R> =>
  Effect.gen(function* () {
    const target = yield* targetOf(file)
    const partial = `${target}.${process.pid}.partial`
    return yield* Effect.acquireUseRelease(
      tryFile(() => open(partial, "wx")),
      (handle) =>
        Effect.gen(function* () {
          const exported = yield* writeAll((text) => handle.appendFile(text))
          yield* tryFile(() => handle.sync())
          yield* tryFile(() => rename(partial, target))
          yield* tryFile(() => syncDirectory(dirname(target)))
          return exported
        }),
      (handle) =>
        Effect.promise(async () => {
          await handle.close()
          await rm(partial, { force: true })
        }),
    )
  })

/** Where to write: behind a symbolic link, and never in place of a device or a pipe. */
const targetOf = (file: string): Effect.Effect<string, CommandFailed | WrongUsage> =>
  Effect.gen(function* () {
    const target = yield* tryFile(() => realpath(file).catch(() => file))
    const isOther = yield* tryFile(() =>
      stat(target).then(
        (found) => !found.isFile(),
        () => false,
      ),
    )
    return isOther
      ? yield* new WrongUsage({ reason: `${file} is no regular file. For standard output write ${standardOutput}.` })
      : target
  })

/** Keeps the new name of a file through a power loss. */
const syncDirectory = async (path: string): Promise<void> => {
  const directory = await open(path, "r")
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}

/** Waits until the text has left: a slow reader must not fill the memory. */
const writeToStandardOutput: Write = (text) =>
  new Promise<void>((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()))
  })

/** A file that cannot be written is a failure, in the words of the system. */
const tryFile = <A>(work: () => Promise<A>): Effect.Effect<A, CommandFailed> =>
  Effect.tryPromise({
    try: work,
    catch: (thrown) =>
      new CommandFailed({
        reason: `The export cannot be written: ${thrown instanceof Error ? thrown.message : String(thrown)}.`,
      }),
  })
