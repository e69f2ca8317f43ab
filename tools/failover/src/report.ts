/** What became of the creates that were acknowledged, and how long callers saw errors. */
import type { Load } from "./load.ts"

export interface Report {
  readonly acknowledged: number
  /** Pets of the drill in the store. */
  readonly found: number
  /** Acknowledged, and not there under the identifier that was acknowledged. */
  readonly lost: number
  /** Names that are there more than once. */
  readonly doubled: number
  /** Reads of an acknowledged pet that did not find it. */
  readonly unfound: number
  readonly refused: { readonly create: number; readonly read: number }
  /** From the first answer that was an error to the last one, in ms. */
  readonly errorsLastedMillis: { readonly create: number; readonly read: number }
  /** From the moment at which the new primary took writes to the first create that was acknowledged, in ms. */
  readonly recoveredMillis: number
  /** The longest time that a caller waited for an answer that was an error, in ms. */
  readonly slowestErrorMillis: number
}

/** Moments of the drill, in ms of `performance.now()`: when the store went away, and when it took writes again. */
export interface Moments {
  readonly awayAtMillis: number
  readonly backAtMillis: number
}

/** `rows` are identifier and name of every pet of the drill. Errors count from the moment at which the store went away. */
export const report = (
  load: Load,
  rows: ReadonlyArray<ReadonlyArray<string>>,
  { awayAtMillis, backAtMillis }: Moments,
): Report => {
  const nameById = new Map<string, string>()
  const times = new Map<string, number>()
  for (const [id = "", name = ""] of rows) {
    nameById.set(id, name)
    times.set(name, (times.get(name) ?? 0) + 1)
  }
  const errors = load.answered.filter(({ isFine, atMillis }) => !isFine && atMillis >= awayAtMillis)
  const errorsOf = (operation: "create" | "read") => errors.filter((answer) => answer.operation === operation)
  const lasted = (operation: "create" | "read"): number => {
    const moments = errorsOf(operation).map(({ atMillis }) => atMillis)
    return moments.length === 0 ? 0 : Math.max(...moments) - Math.min(...moments)
  }
  const first = load.answered
    .filter(({ operation, isFine, atMillis }) => operation === "create" && isFine && atMillis > backAtMillis)
    .map(({ atMillis }) => atMillis)
  return {
    acknowledged: load.acknowledged.size,
    found: rows.length,
    lost: [...load.acknowledged].filter(([name, id]) => nameById.get(id) !== name).length,
    doubled: [...times.values()].filter((count) => count > 1).length,
    unfound: load.unfound(),
    refused: { create: errorsOf("create").length, read: errorsOf("read").length },
    errorsLastedMillis: { create: lasted("create"), read: lasted("read") },
    recoveredMillis: first.length === 0 ? Number.POSITIVE_INFINITY : Math.min(...first) - backAtMillis,
    slowestErrorMillis: Math.max(0, ...errors.map(({ sentAtMillis, atMillis }) => atMillis - sentAtMillis)),
  }
}
