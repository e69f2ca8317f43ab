/** `petstore export`: writes all pets, orders or category names to a file or to standard output. */
import { extname } from "node:path"
import {
  type Category,
  CategoryRepository,
  type Change,
  type ChangePlace,
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
import { pageOfChanges } from "./history.js"
import { counted, type OutputOptions, print, writeOut } from "./output.js"
import { type CommandFailed, WrongUsage } from "./program.js"
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

/** What may be exported instead of animals, and its only format. */
const otherKinds = {
  orders: { one: "order", all: "Orders", format: "ndjson" },
  categories: { one: "category name", all: "Category names", format: "csv" },
  changes: { one: "change", all: "Changes", format: "ndjson" },
} as const

const kindsIn = (options: ExportOptions) =>
  (["orders", "categories", "changes"] as const).filter((kind) => options[kind] === true)

const formatsByExtension: Readonly<Record<string, ExportFormat>> = { ".ndjson": "ndjson", ".jsonl": "ndjson", ".csv": "csv" }

/** Checks the arguments before the store is opened, and returns the file's format. */
const formatOf = (file: string, options: ExportOptions): Effect.Effect<ExportFormat, WrongUsage> =>
  Effect.gen(function* () {
    const refuse = (reason: string) => new WrongUsage({ reason })
    const [kind, ...moreKinds] = kindsIn(options)
    const only = kind && otherKinds[kind]
    const byName = file === standardOutput ? (only?.format ?? "ndjson") : formatsByExtension[extname(file).toLowerCase()]
    const format = options.format ?? byName
    if (format === undefined) return yield* refuse(`${file} does not end in .ndjson, .jsonl or .csv: pass --format.`)
    const forPets = optionsOfPets.find((option) => options[option] !== undefined)
    if (forPets !== undefined && only !== undefined) {
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
    if (moreKinds.length > 0) return yield* refuse(`--${kind} exports only that: export anything else into a separate file.`)
    if (only !== undefined && format !== only.format) {
      return yield* refuse(`${only.all} are written as ${only.format.toUpperCase()}: name a file that ends in .${only.format}.`)
    }
    if (file === standardOutput && options.json === true) {
      return yield* refuse("--json would mix with the rows on standard output: name a file.")
    }
    return format
  })

export const exportStore = (open: OpenStore, file: string, options: ExportOptions) =>
  Effect.flatMap(formatOf(file, options), (format) =>
    open(function* ({ database }) {
      const animals = petFileEncoders(options.delimiter, options.forSpreadsheet)[format]
      const writers = {
        animals: rowsWriter("animals", readPetsFor(options), animals),
        orders: rowsWriter("orders", readOrders, { start: "", encode: (order) => `${encodeOrder(order)}\n` }),
        categories: rowsWriter("categories", readCategories, { start: categoryHeader, encode: encodeCategoryRecord }),
        changes: rowsWriter("changes", readChanges, { start: "", encode: (change) => `${encodeChange(change)}\n` }),
      }
      const [kind] = kindsIn(options)
      const writeAll = writers[kind ?? "animals"]
      if (file === standardOutput) return yield* Effect.asVoid(writeAll(writeOut))
      const target = yield* targetOf(file, { database, replace: options.replace === true })
      const exported = yield* writeWholeFile(target, { what: theExport, replace: options.replace === true }, writeAll)
      const what = counted(exported, kind === undefined ? "animal" : otherKinds[kind].one)
      print(options, { exported, file }, `${what} exported to ${file}.`)
    }),
  )

/** Reads a page, and the place where the next one starts. The last page is not full. */
type ReadPage<Row, Place = bigint> = (
  after: Option.Option<Place>,
) => Effect.Effect<
  { readonly rows: ReadonlyArray<Row>; readonly next: Place | undefined },
  StorageUnavailable | CommandFailed,
  Repositories
>

const pageById = <Row extends { readonly id: bigint }>(rows: ReadonlyArray<Row>) => ({ rows, next: rows.at(-1)?.id })

const readPets: ReadPage<Pet> = (after) =>
  Effect.flatMap(PetRepository, ({ list }) => Effect.map(list({ status: Option.none(), after, limit: pageLimit }), pageById))

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
      return pageById(page)
    })
}

const readOrders: ReadPage<Order> = (after) =>
  Effect.flatMap(OrderRepository, ({ list }) => Effect.map(list({ status: Option.none(), after, limit: pageLimit }), pageById))

const readCategories: ReadPage<Category> = (after) =>
  Effect.flatMap(CategoryRepository, ({ list }) => Effect.map(list({ after, limit: pageLimit }), pageById))

/** Reads the kept changes, oldest first. */
const readChanges: ReadPage<Change, ChangePlace> = (after) =>
  Effect.map(pageOfChanges({ order: "asc", after, limit: pageLimit }), ({ changes, next }) => ({ rows: changes, next }))

/**
 * Returns a function that writes all rows by ascending id, and returns their number. May include rows that are added during the
 * export. A row that changes during the export may be written with its former content.
 */
const rowsWriter =
  <Row, Place>(
    what: "animals" | keyof typeof otherKinds,
    read: ReadPage<Row, Place>,
    { start, encode }: { readonly start: string; readonly encode: (row: Row) => string },
  ) =>
  (write: Write) =>
    Effect.gen(function* () {
      const progress = yield* scopedProgress("export", what)
      // Only pets have a total. It does not include pets that are added during the export.
      const total = what === "animals" ? (yield* (yield* InventoryRepository).read).total : undefined
      yield* tryWriting(theExport, () => write(start))
      let exported = 0
      for (let after = Option.none<Place>(); ; ) {
        const { rows, next } = yield* read(after)
        exported += rows.length
        // The write starts here: an asynchronous effect would keep its page in memory until the next full garbage collection.
        const written = write(rows.reduce((text, row) => text + encode(row), ""))
        yield* tryWriting(theExport, () => written)
        progress.show(exported, total === undefined ? undefined : Math.min(1, exported / Math.max(1, total)))
        if (rows.length < pageLimit) return exported
        after = Option.fromNullable(next)
      }
    }).pipe(Effect.scoped)
