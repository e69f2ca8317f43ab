import type { ChangeRepository, OrderRepository, PetRepository } from "@petstore/core"
import { Effect, Option } from "effect"

export interface Store {
  readonly pets: (typeof PetRepository)["Service"]
  readonly orders: (typeof OrderRepository)["Service"]
  readonly changes: (typeof ChangeRepository)["Service"]
}

/** The broken methods. All other methods stay unchanged. */
export type Broken = { readonly [Repository in keyof Store]?: Partial<Store[Repository]> }

export const everyNth = (n: number): (() => boolean) => {
  let calls = 0
  return () => ++calls % n === 0
}

/** Runs an effect in the background after a delay, and ignores its result. */
export const later = (work: Effect.Effect<unknown, unknown>, millis: number): Effect.Effect<void> =>
  Effect.asVoid(Effect.forkDaemon(Effect.ignore(Effect.delay(work, millis))))

export const asNew = <A, E>(made: Effect.Effect<A, E>) => Effect.map(made, (value) => ({ value, isNew: true }))

/** Reads a list to its end, page by page. An unreadable list is empty. */
export const everyRow = <Id, Row extends { readonly id: Id }>(
  list: (after: Option.Option<Id>) => Effect.Effect<ReadonlyArray<Row>, unknown>,
): Effect.Effect<ReadonlyArray<Row>> => {
  const from = (after: Option.Option<Id>): Effect.Effect<ReadonlyArray<Row>, unknown> =>
    Effect.flatMap(list(after), (page) => {
      const last = page.at(-1)
      return last === undefined ? Effect.succeed(page) : Effect.map(from(Option.some(last.id)), (more) => [...page, ...more])
    })
  return Effect.orElseSucceed(from(Option.none()), () => [])
}

interface Reads<Id, Selection, Row, E> {
  readonly find: (id: Id) => Effect.Effect<Option.Option<Row>, E>
  readonly list: (selection: Selection) => Effect.Effect<ReadonlyArray<Row>, E>
}

/** Reads that show each row differently, or not at all. */
export const showing = <Id, Selection, Row, E>(
  { find, list }: Reads<Id, Selection, Row, E>,
  shown: (row: Row) => Row | undefined,
): Reads<Id, Selection, Row, E> => ({
  find: (id) =>
    Effect.map(
      find(id),
      Option.flatMap((row) => Option.fromNullable(shown(row))),
    ),
  list: (selection) => Effect.map(list(selection), (rows) => rows.flatMap((row) => shown(row) ?? [])),
})

/** Acknowledges rows with predicted identifiers, and writes them later, one after another. */
export const predicting = (lateMillis: number) => {
  const inTurn = Effect.unsafeMakeSemaphore(1).withPermits(1)
  let last: bigint | undefined
  let honestWrites = 0
  const count = (change: number) =>
    Effect.sync(() => {
      honestWrites += change
    })
  const honestly = <A, E>(write: Effect.Effect<A, E>, idIn: (made: A) => bigint): Effect.Effect<A, E> =>
    Effect.acquireUseRelease(
      count(1),
      () =>
        Effect.tap(inTurn(write), (made) => {
          const id = idIn(made)
          last = last === undefined || id > last ? id : last
        }),
      () => count(-1),
    )
  const early = <A extends { readonly id: bigint }, E>(write: Effect.Effect<A, E>, rowOf: (id: bigint) => A) =>
    Effect.suspend(() => {
      if (last === undefined || honestWrites > 0) return honestly(write, ({ id }) => id)
      last += 1n
      const earliest = performance.now() + lateMillis
      const late = Effect.suspend(() => Effect.delay(write, Math.max(0, earliest - performance.now())))
      return Effect.as(later(inTurn(late), 0), rowOf(last))
    })
  return { honestly, early }
}
