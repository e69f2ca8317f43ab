/** `petstore export`: writes all pets, orders or category names to a file or to standard output. */
import { extname } from "node:path"
import {
  type Category,
  CategoryRepository,
  ChangeRepository,
  encodeChange,
  encodeOrder,
  InventoryRepository,
  type Order,
  OrderRepository,
  type Pet,
  PetRepository,
  type PetStatus,
  type StorageUnavailable,
  wordsOf,
} from "@petstore/core"
import { petFileEncoders } from "@petstore/pet-files"
import type { Repositories } from "@petstore/storage"
import { Effect, Option } from "effect"
import { categoryHeader, encodeCategoryRecord } from "./files/category-file.js"
import { targetOf, tryWriting, type Write, writeWholeFile } from "./files/target.js"
import { failed } from "./history.js"
import { counted, type OutputOptions, print, writeOut } from "./output.js"
import { WrongUsage } from "./program.js"
import { scopedProgress } from "./progress.js"
import type { OpenStore } from "./store.js"

const pageLimit = 1_000

const standardOutput = "-"

const theExport = "The export"

export const exportOrders = ["asc", "desc"] as const

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
  readonly id?: ReadonlyArray<bigint>
  readonly order?: (typeof exportOrders)[number]
  readonly orders?: true
  readonly categories?: true
  readonly changes?: true
  readonly replace?: true
}

const optionsOfPets = ["delimiter", "forSpreadsheet", "status", "withoutStatus", "categoryId", "name", "id", "order"] as const

const formatsByExtension: Readonly<Record<string, ExportFormat>> = { ".ndjson": "ndjson", ".jsonl": "ndjson", ".csv": "csv" }

/** Checks the arguments before the store is opened, and returns the file's format. */
const formatOf = (file: string, options: ExportOptions): Effect.Effect<ExportFormat, WrongUsage> =>
  Effect.gen(function* () {
    const refuse = (reason: string) => new WrongUsage({ reason })
    const format = options.format ?? (file === standardOutput ? "ndjson" : formatsByExtension[extname(file).toLowerCase()])
    if (format === undefined) return yield* refuse(`${file} does not end in .ndjson, .jsonl or .csv: pass --format.`)
    const forPets = optionsOfPets.find((option) => options[option] !== undefined)
    if (forPets !== undefined && (options.orders || options.categories || options.changes)) {
      return yield* refuse(
        "--status, --without-status, --category-id, --name, --id, --order, --delimiter and --for-spreadsheet are for animals.",
      )
    }
    if (options.status !== undefined && options.withoutStatus) return yield* refuse("Pass either --status or --without-status.")
    if (options.name !== undefined && wordsOf(options.name).length === 0)
      return yield* refuse("--name has no letter and no digit.")
    if (format === "ndjson" && (options.delimiter !== undefined || options.forSpreadsheet)) {
      return yield* refuse(
        `--${options.forSpreadsheet ? "for-spreadsheet" : "delimiter"} is for CSV: name a file that ends in .csv.`,
      )
    }
    if (options.orders === true && format !== "ndjson") {
      return yield* refuse("Orders are written as NDJSON: name a file that ends in .ndjson.")
    }
    if (options.changes === true && (format !== "ndjson" || options.orders || options.categories)) {
      return yield* refuse("--changes writes only changes, as NDJSON: name a file that ends in .ndjson.")
    }
    if (options.categories === true && options.orders === true) {
      return yield* refuse("--categories exports only category names: export anything else into a separate file.")
    }
    if (options.categories === true && options.format === undefined && file === standardOutput) return "csv"
    if (options.categories === true && format !== "csv") {
      return yield* refuse("Category names are written as CSV: name a file that ends in .csv.")
    }
    if (file === standardOutput && options.json === true) {
      return yield* refuse("--json would mix with the rows on standard output: name a file.")
    }
    return format
  })

export const exportStore = (open: OpenStore, file: string, options: ExportOptions) =>
  Effect.flatMap(formatOf(file, options), (format) =>
    open(function* ({ database }) {
      const writePets = rowsWriter(
        "animals",
        readPetsFor(options),
        petFileEncoders(options.delimiter, options.forSpreadsheet)[format],
      )
      const writeRows = options.orders === true ? writeOrders : options.categories === true ? writeCategories : writePets
      const writeAll = options.changes === true ? writeChanges : writeRows
      if (file === standardOutput) return yield* Effect.asVoid(writeAll(writeOut))
      const target = yield* targetOf(file, { database, replace: options.replace === true })
      const exported = yield* writeWholeFile(target, { what: theExport, replace: options.replace === true }, writeAll)
      const of = options.orders === true ? "order" : options.categories === true ? "category name" : "animal"
      const what = counted(exported, options.changes === true ? "change" : of)
      print(options, { exported, file }, `${what} exported to ${file}.`)
    }),
  )

type ReadPage<Row> = (after: Option.Option<bigint>) => Effect.Effect<ReadonlyArray<Row>, StorageUnavailable, Repositories>

const readPets: ReadPage<Pet> = (after) =>
  Effect.flatMap(PetRepository, ({ list }) => list({ status: Option.none(), after, limit: pageLimit }))

/** Reads the pets that match the filters. A page may be short although more pets follow, so the search goes on until it is full. */
const readPetsFor = ({ status, withoutStatus, categoryId, name, id, order = "asc" }: ExportOptions): ReadPage<Pet> => {
  const isPlain = [status, withoutStatus, categoryId, name, id].every((filter) => filter === undefined)
  if (isPlain && order === "asc") return readPets
  const filters = {
    ...(status !== undefined && { status }),
    ...(withoutStatus && { status: null }),
    ...(categoryId !== undefined && { categoryId }),
    ...(name !== undefined && { words: wordsOf(name) }),
    ...(id !== undefined && { id: [...new Set(id)] }),
  }
  return (after) =>
    Effect.gen(function* () {
      const { search } = yield* PetRepository
      const page: Array<Pet> = []
      let next = Option.getOrUndefined(after)
      do {
        const from = next === undefined ? {} : { after: next }
        const found = yield* search({ ...filters, ...from, order, limit: pageLimit - page.length })
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

/** Writes the kept changes, oldest first. Includes changes that are made during the export. */
const writeChanges = (write: Write) =>
  Effect.gen(function* () {
    const { list } = yield* ChangeRepository
    let after = Option.none<string>()
    let exported = 0
    for (;;) {
      const { changes, next } = yield* Effect.catchTag(list({ order: "asc", after, limit: pageLimit }), "CursorExpired", failed)
      yield* tryWriting(theExport, () => write(changes.reduce((text, change) => `${text}${encodeChange(change)}\n`, "")))
      exported += changes.length
      after = Option.fromNullable(next)
      if (changes.length < pageLimit) return exported
    }
  })
