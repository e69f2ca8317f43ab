/** `petstore export`: writes all pets, orders or category names to a file or to standard output. */
import { extname } from "node:path"
import {
  type Category,
  CategoryRepository,
  encodeOrder,
  InventoryRepository,
  type Order,
  OrderRepository,
  orderClosings,
  orderPlacement,
  type Pet,
  type PetId,
  PetRepository,
  type PetStatus,
  type StorageUnavailable,
  wordsOf,
} from "@petstore/core"
import type { Repositories } from "@petstore/storage"
import { Effect, Option } from "effect"
import { petFileEncoders } from "../pet-files/pet-rows.js"
import { categoryHeader, encodeCategoryRecord } from "./files/category-file.js"
import { targetOf, tryWriting, type Write, writeWholeFile } from "./files/target.js"
import { counted, type OutputOptions, print, writeOut } from "./output.js"
import { WrongUsage } from "./program.js"
import { scopedProgress } from "./progress.js"
import type { OpenStore } from "./store.js"

const pageLimit = 1_000

const standardOutput = "-"

const theExport = "The export"

export const exportFormats = ["ndjson", "csv"] as const
type ExportFormat = (typeof exportFormats)[number]

interface ExportOptions extends OutputOptions {
  readonly format?: ExportFormat
  readonly delimiter?: string
  readonly forSpreadsheet?: true
  readonly status?: PetStatus
  readonly withoutStatus?: true
  readonly categoryId?: bigint
  readonly name?: string
  readonly orders?: true
  readonly categories?: true
  readonly beforeOrders?: true
  readonly replace?: true
}

const optionsOfPets = ["delimiter", "forSpreadsheet", "status", "withoutStatus", "categoryId", "name"] as const

const formatsByExtension: Readonly<Record<string, ExportFormat>> = { ".ndjson": "ndjson", ".jsonl": "ndjson", ".csv": "csv" }

/** Checks the arguments before the store is opened, and returns the file's format. */
const formatOf = (file: string, options: ExportOptions): Effect.Effect<ExportFormat, WrongUsage> =>
  Effect.gen(function* () {
    const refuse = (reason: string) => new WrongUsage({ reason })
    const format = options.format ?? (file === standardOutput ? "ndjson" : formatsByExtension[extname(file).toLowerCase()])
    if (format === undefined) return yield* refuse(`${file} does not end in .ndjson, .jsonl or .csv: pass --format.`)
    const forPets = optionsOfPets.find((option) => options[option] !== undefined)
    if (forPets !== undefined && (options.orders || options.categories)) {
      return yield* refuse(
        "--status, --without-status, --category-id, --name, --delimiter and --for-spreadsheet are for animals.",
      )
    }
    if (forPets !== undefined && options.beforeOrders) {
      return yield* refuse("--before-orders writes all animals, as NDJSON or CSV with a comma: leave out the other options.")
    }
    if (options.status !== undefined && options.withoutStatus) return yield* refuse("Pass either --status or --without-status.")
    if (format === "ndjson" && (options.delimiter !== undefined || options.forSpreadsheet)) {
      return yield* refuse(
        `--${options.forSpreadsheet ? "for-spreadsheet" : "delimiter"} is for CSV: name a file that ends in .csv.`,
      )
    }
    if (options.orders === true && format !== "ndjson") {
      return yield* refuse("Orders are written as NDJSON: name a file that ends in .ndjson.")
    }
    if (options.categories === true && (options.orders === true || options.beforeOrders === true)) {
      return yield* refuse("--categories exports only category names: export anything else into a separate file.")
    }
    if (options.categories === true && options.format === undefined && file === standardOutput) return "csv"
    if (options.categories === true && format !== "csv") {
      return yield* refuse("Category names are written as CSV: name a file that ends in .csv.")
    }
    if (options.orders === true && options.beforeOrders === true) {
      return yield* refuse("--before-orders is for animals: export the orders into a separate file.")
    }
    if (file === standardOutput && options.json === true) {
      return yield* refuse("--json would mix with the rows on standard output: name a file.")
    }
    return format
  })

export const exportStore = (open: OpenStore, file: string, options: ExportOptions) =>
  Effect.flatMap(formatOf(file, options), (format) =>
    open(function* ({ database }) {
      const pets = options.beforeOrders === true ? yield* readPetsBeforeOrders : readPetsFor(options)
      const writePets = rowsWriter("animals", pets, petFileEncoders(options.delimiter, options.forSpreadsheet)[format])
      const writeAll = options.orders === true ? writeOrders : options.categories === true ? writeCategories : writePets
      if (file === standardOutput) return yield* Effect.asVoid(writeAll(writeOut))
      const target = yield* targetOf(file, { database, replace: options.replace === true })
      const exported = yield* writeWholeFile(target, { what: theExport, replace: options.replace === true }, writeAll)
      const what = counted(exported, options.orders === true ? "order" : options.categories === true ? "category name" : "animal")
      print(options, { exported, file }, `${what} exported to ${file}.`)
    }),
  )

type ReadPage<Row> = (after: Option.Option<bigint>) => Effect.Effect<ReadonlyArray<Row>, StorageUnavailable, Repositories>

const readPets: ReadPage<Pet> = (after) =>
  Effect.flatMap(PetRepository, ({ list }) => list({ status: Option.none(), after, limit: pageLimit }))

/** Reads the pets that match the filters. A page may be short although more pets follow, so the search goes on until it is full. */
const readPetsFor = ({ status, withoutStatus, categoryId, name }: ExportOptions): ReadPage<Pet> => {
  if (status === undefined && !withoutStatus && categoryId === undefined && name === undefined) return readPets
  const filters = {
    ...(status !== undefined && { status }),
    ...(withoutStatus && { status: null }),
    ...(categoryId !== undefined && { categoryId }),
    ...(name !== undefined && { words: wordsOf(name) }),
  }
  return (after) =>
    Effect.gen(function* () {
      const { search } = yield* PetRepository
      const page: Array<Pet> = []
      let next = Option.getOrUndefined(after)
      do {
        const from = next === undefined ? {} : { after: next }
        const found = yield* search({ ...filters, ...from, order: "asc", limit: pageLimit - page.length })
        page.push(...found.pets)
        next = found.next
      } while (next !== undefined && page.length < pageLimit)
      return page
    })
}

const readOrders: ReadPage<Order> = (after) =>
  Effect.flatMap(OrderRepository, ({ list }) => list({ status: Option.none(), after, limit: pageLimit }))

const readCategories: ReadPage<Category> = (after) =>
  Effect.flatMap(CategoryRepository, ({ list }) => list({ after, limit: pageLimit }))

/** Reads all pages. Each page starts after the previous page's last identifier, and is used before the next page is read. */
const forEachPage = <Row extends { readonly id: bigint }, E>(
  read: ReadPage<Row>,
  use: (page: ReadonlyArray<Row>) => Effect.Effect<void, E>,
): Effect.Effect<void, StorageUnavailable | E, Repositories> =>
  Effect.gen(function* () {
    let after = Option.none<bigint>()
    for (;;) {
      const page = yield* read(after)
      yield* use(page)
      if (page.length < pageLimit) return
      after = Option.map(Option.fromNullable(page.at(-1)), ({ id }) => id)
    }
  })

/** The statuses that an order can give to an available pet. */
const statusesOfOrders: ReadonlySet<PetStatus | undefined> = new Set(
  [orderPlacement.to, orderClosings.complete.pet, orderClosings.cancel.pet].filter((status) => status !== orderPlacement.from),
)

const readAll = <Row extends { readonly id: bigint }>(read: ReadPage<Row>, use: (row: Row) => void) =>
  forEachPage(read, (page) => Effect.sync(() => page.forEach(use)))

/**
 * Reads pets as they were before their first order. Every pet that was ever ordered was `available` before its first order.
 * Orders are never removed, and a single transaction changes an order and its pet. So a pet that is `pending` or `sold` either
 * has an order or was created with that status. Orders, which are read after the page, tell these apart. They are read again for
 * each page with an undecided pet, because a store may commit an order after others with higher identifiers.
 */
const readPetsBeforeOrders = Effect.gen(function* () {
  const { list } = yield* PetRepository
  const ordered = new Set<PetId>()
  const madeSo = new Set<PetId>()
  const learnOrders = readAll(readOrders, ({ petId }) => void ordered.add(petId))
  const decide = (pets: Iterable<PetId>) =>
    Effect.map(learnOrders, () => {
      for (const id of pets) if (!ordered.has(id)) madeSo.add(id)
    })
  const isUnknown = ({ id, status }: Pet) => statusesOfOrders.has(status) && !ordered.has(id) && !madeSo.has(id)

  const known: Array<PetId> = []
  for (const status of statusesOfOrders) {
    yield* readAll(
      (after) => list({ status: Option.fromNullable(status), after, limit: pageLimit }),
      ({ id }) => void known.push(id),
    )
  }
  yield* decide(known)

  return (after: Option.Option<PetId>) =>
    Effect.gen(function* () {
      const page = yield* readPets(after)
      const unknown = page.filter(isUnknown).map(({ id }) => id)
      if (unknown.length > 0) yield* decide(unknown)
      return page.map((pet): Pet => (ordered.has(pet.id) ? { ...pet, status: orderPlacement.from } : pet))
    })
})

/**
 * Returns a function that writes all rows by ascending id, and returns their number. May include rows that are added during the
 * export. A row that changes during the export may be written with its former content.
 */
const rowsWriter =
  <Row extends { readonly id: bigint }>(
    what: "animals" | "orders" | "categories",
    read: ReadPage<Row>,
    { start, encode }: { readonly start: string; readonly encode: (row: Row) => string },
  ) =>
  (write: Write) =>
    Effect.gen(function* () {
      const progress = yield* scopedProgress("export", what)
      // Only pets have a total. It does not include pets that are added during the export.
      const total = what === "animals" ? (yield* (yield* InventoryRepository).read).total : undefined
      yield* tryWriting(theExport, () => write(start))
      let exported = 0
      yield* forEachPage(read, (page) => {
        exported += page.length
        // The write starts here: an asynchronous effect would keep its page in memory until the next full garbage collection.
        const written = write(page.reduce((text, row) => text + encode(row), ""))
        const part = total === undefined ? undefined : Math.min(1, exported / Math.max(1, total))
        return Effect.map(
          tryWriting(theExport, () => written),
          () => progress.show(exported, part),
        )
      })
      return exported
    }).pipe(Effect.scoped)

const writeOrders = rowsWriter("orders", readOrders, { start: "", encode: (order) => `${encodeOrder(order)}\n` })

const writeCategories = rowsWriter("categories", readCategories, { start: categoryHeader, encode: encodeCategoryRecord })
