import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { maxInt64, minInt64 } from "../json/int64.js"
import { byId } from "./pets.js"
import type { DeclarePromise } from "./promise.js"
import { describe, expect } from "./runner.js"

interface Listed {
  readonly id: bigint
  readonly status?: string
}

interface Subject<R, Status extends string, A extends Listed> {
  readonly statuses: ReadonlyArray<Status>
  readonly ofEveryStatus: (each: number) => Effect.Effect<ReadonlyArray<A>, unknown, R>
  readonly more: Effect.Effect<unknown, unknown, R>
  readonly listed: (selection?: {
    readonly status?: Option.Option<Status>
    readonly after?: Option.Option<bigint>
    readonly limit?: number
  }) => Effect.Effect<ReadonlyArray<A>, unknown, R>
}

export const promisesOfList = <R, Port, Status extends string, A extends Listed>(
  promise: DeclarePromise<R, Port>,
  { statuses, ofEveryStatus, more, listed }: Subject<R, Status, A>,
): void => {
  const made = (each: number) => Effect.map(ofEveryStatus(each), (all) => all.toSorted(byId))

  /** Reads all pages as a caller does: each page starts after the last item of the previous page. */
  const walk = (status: Option.Option<Status>, limit: number) =>
    Effect.gen(function* () {
      const seen: Array<A> = []
      let page: ReadonlyArray<A>
      do {
        page = yield* listed({ status, limit, after: Option.fromNullable(seen.at(-1)?.id) })
        seen.push(...page)
        yield* more
        // An adapter that loops fails here instead of running forever.
        expect(seen.length).toBeLessThan(1000)
      } while (page.length === limit)
      return seen
    })

  describe("list", () => {
    promise("is empty while there are no items", function* () {
      expect(yield* listed()).toStrictEqual([])
      for (const status of statuses) expect(yield* listed({ status: Option.some(status) })).toStrictEqual([])
    })

    promise("is sorted by ascending identifier, and ends at the limit", function* () {
      const all = yield* made(5)
      for (const limit of [1, 2, all.length - 1, all.length, all.length + 1, 101]) {
        expect(yield* listed({ limit })).toStrictEqual(all.slice(0, limit))
      }
    })

    promise("contains only items with the requested status, even immediately after a change", function* () {
      const all = yield* made(10)
      for (const status of statuses) {
        const expected = all.filter((one) => one.status === status)
        expect(expected).toHaveLength(10)
        expect(yield* listed({ status: Option.some(status) })).toStrictEqual(expected)
        expect(yield* listed({ status: Option.some(status), limit: 3 })).toStrictEqual(expected.slice(0, 3))
      }
    })

    promise("starts after any identifier, assigned or not", function* () {
      const all = yield* made(3)
      const last = statuses.at(-1)
      const starts = all.flatMap(({ id }) => [id - 1n, id, id + 1n])
      for (const after of [...starts, 0n, -1n, maxInt64 - 1n, maxInt64, minInt64]) {
        const expected = all.filter(({ id }) => id > after)
        const from = { after: Option.some(after) }
        expect(yield* listed(from)).toStrictEqual(expected)
        expect(yield* listed({ ...from, status: Option.fromNullable(last), limit: 2 })).toStrictEqual(
          expected.filter(({ status }) => status === last).slice(0, 2),
        )
      }
    })

    for (const status of [Option.none(), ...statuses.map(Option.some)]) {
      const what = Option.isNone(status) ? "every existing item" : `every existing item with the status ${status.value}`
      promise(`returns ${what} exactly once, page by page, while more items are added`, function* () {
        const before = yield* made(10)
        const seen = yield* walk(status, 3)
        const ids = new Set(before.map(({ id }) => id))
        const matching = before.filter((one) => Option.isNone(status) || one.status === status.value)
        expect(seen.filter(({ id }) => ids.has(id))).toStrictEqual(matching)
        expect(seen).toStrictEqual(seen.toSorted(byId))
        expect(new Set(seen.map(({ id }) => id)).size).toBe(seen.length)
        expect((yield* listed()).length).toBeGreaterThan(before.length)
      })
    }
  })
}
