/** Goes on with a copy while services write, until they have stopped. */
import * as Arrays from "effect/Array"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import { touchedIn } from "../change-rows.js"
import { differs, type OnProgress, readAll, type Sums, verify } from "./reading.js"
import {
  areSame,
  type CopiedRow,
  type CopiedTable,
  type Copying,
  changesTable,
  copiedTables,
  rowsAtOnce,
  type Source,
  type StoreReader,
  type StoreWriter,
} from "./tables.js"

/** The tables whose changes are followed. The others are copied once the services have stopped. */
export const followedTables = copiedTables.filter(({ name }) => ["pets", "orders", "categories", "changes"].includes(name))
const smallTables = copiedTables.filter((table) => !followedTables.includes(table))

/** How often to look for changes, in ms. */
const lookMillis = 300

interface Following {
  readonly target: StoreWriter
  readonly sums: Sums
  /** The newest change of each slot that is in the target. */
  readonly ends: ReadonlyMap<bigint, bigint>
  readonly follow: () => void
  readonly onProgress: OnProgress
  /** The scope of the entire copy. */
  readonly whole: Scope.Scope
}

/** The identifiers of the resources that changes touched, by table. */
const touchedBy = (changes: ReadonlyArray<CopiedRow>, touched: ReadonlyMap<string, Set<bigint>>): void => {
  for (const row of changes) {
    for (const side of row.slice(6, 8)) {
      const { pet, order, category } = touchedIn(side === null ? null : String(side)) ?? {}
      if (pet !== undefined) touched.get("pets")?.add(pet.id)
      if (order !== undefined) touched.get("orders")?.add(order.id)
      if (category !== undefined) touched.get("categories")?.add(category.id)
    }
  }
}

const newTouched = (): ReadonlyMap<string, Set<bigint>> =>
  new Map(["pets", "orders", "categories"].map((name) => [name, new Set()]))

/**
 * Copies what services write until they have stopped. What a change touched is read as it is now, so the target is as the source at
 * the moment of each look. Everything that is written is read again.
 */
export const followStore = (source: Source, { target, sums, ends: begun, follow, onProgress, whole }: Following) =>
  Effect.gen(function* () {
    const ends = new Map(begun)
    /** On Citus, a change may be visible before what it touched, so that is read at the next look too. */
    let former = newTouched()

    const write = (table: CopiedTable, rows: ReadonlyArray<CopiedRow>, ids: ReadonlyArray<bigint>): Copying<void> =>
      Effect.gen(function* () {
        const old = yield* target.readRows(table, ids)
        if (areSame(table, old, rows)) return
        if (old.length > 0) yield* target.remove(table, ids)
        if (rows.length > 0) yield* target.write(table, rows)
        if (!areSame(table, yield* target.readRows(table, ids), rows)) return yield* differs(table.name)
        sums.get(table.name)?.remove(old)
        sums.get(table.name)?.add(rows)
      })

    /** Removes the changes that the source has removed because of their age. */
    const forget = (reader: StoreReader): Copying<void> =>
      Effect.gen(function* () {
        const kept = yield* reader.count(changesTable)
        const sum = sums.get(changesTable.name)
        for (let after: CopiedRow | undefined; sum !== undefined && sum.contents().rows > kept; ) {
          const rows = yield* target.read(changesTable, after)
          const ids = rows.map(idOf)
          const there = new Set((yield* reader.readRows(changesTable, ids)).map(idOf))
          const gone = rows.filter((row) => !there.has(idOf(row)))
          if (gone.length > 0) yield* target.remove(changesTable, gone.map(idOf))
          sum.remove(gone)
          if (rows.length < rowsAtOnce) break
          after = rows.at(-1)
        }
      })

    /** Copies what has changed since the last look. Returns the number of changes. */
    const look = Effect.scoped(
      Effect.gen(function* () {
        const reader = yield* source.open
        const touched = newTouched()
        let count = 0
        for (const slot of (yield* reader.ends).keys()) {
          for (;;) {
            const last = ends.get(slot) ?? 0n
            const changes = yield* reader.changesAfter(slot, last)
            touchedBy(changes, touched)
            const ids = changes.map(idOf)
            if (ids.length > 0) yield* write(changesTable, changes, ids)
            count += changes.length
            ends.set(slot, ids.at(-1) ?? last)
            if (changes.length < rowsAtOnce) break
          }
        }
        for (const table of followedTables) {
          const ids = [...new Set([...(touched.get(table.name) ?? []), ...(former.get(table.name) ?? [])])]
          for (const part of Arrays.chunksOf(ids, rowsAtOnce)) yield* write(table, yield* reader.readRows(table, part), part)
        }
        former = touched
        return count
      }),
    )

    /** Looks until little is left. */
    const catchUp = Effect.repeat(look, { while: (count) => count > rowsAtOnce })
    yield* catchUp
    yield* verify(followedTables, target, sums, onProgress)
    yield* catchUp
    follow()
    while (!(yield* Scope.extend(source.hold, whole))) {
      yield* look
      yield* Effect.sleep(lookMillis)
    }
    // The second look reads what the changes of the first one touched once more.
    yield* look
    yield* look
    return yield* Effect.scoped(
      Effect.gen(function* () {
        const reader = yield* source.open
        yield* forget(reader)
        for (const table of smallTables.toReversed()) yield* target.clear(table)
        const small = yield* readAll(smallTables, reader, "copying", undefined, (table, rows) =>
          rows.length === 0 ? Effect.void : target.write(table, rows),
        )
        yield* verify(smallTables, target, small, undefined)
        for (const table of followedTables) {
          if ((yield* reader.count(table)) !== sums.get(table.name)?.contents().rows) return yield* differs(table.name)
        }
        return { sums: new Map([...sums, ...small]), state: yield* reader.state }
      }),
    )
  })

// Safe: the key of these tables is an integer.
const idOf = (row: CopiedRow): bigint => row[0] as bigint
