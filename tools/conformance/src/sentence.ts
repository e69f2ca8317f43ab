import { messageOf } from "@petstore/harness/error-text"
import type { Http } from "@petstore/harness/http"

/** Optional inputs of a run, in addition to the base URL and a key. */
export interface Given {
  /** A valid key for a different account. The run may use up its rate limit. */
  readonly secondKey?: string | undefined
  readonly revokedKey?: string | undefined
  readonly expiredKey?: string | undefined
  readonly disabledKey?: string | undefined
  readonly readOnlyKey?: string | undefined
  /** The quickstart's address, without `/messages`. */
  readonly quickstartUrl?: string | undefined
  /** An origin from `CORS_ORIGINS`. */
  readonly origin?: string | undefined
  /** Whether the run may wait for the service's time limits. */
  readonly patient?: boolean | undefined
}

export interface Context {
  readonly http: Http
  readonly given: Given
  /** Whether this run may create pets. */
  readonly write: boolean
}

/** A sentence's requirements. `writes`: its requests create pets, or would if the service is faulty. */
export interface Needs {
  readonly writes: boolean
  /** The list (with the status `ofStatus`) must have this many pets. The run creates the missing pets if it may create pets. */
  readonly pets?: number
  readonly ofStatus?: string
  readonly needs?: ReadonlyArray<keyof Given>
}

export interface Sentence extends Needs {
  /** The number in `docs/specification.md`. */
  readonly number: string
  readonly title: string
  readonly test: (context: Context) => Promise<unknown>
}

/** Whether a sentence has one of these numbers, or is in one of these sections (`4.1.3`, `4.1`, `4`). */
export const isPartOf = (number: string, parts: ReadonlyArray<string>): boolean =>
  parts.some((part) => number === part || number.startsWith(`${part}.`))

export const sentence = (number: string, title: string, needs: Needs, test: Sentence["test"]): Sentence => ({
  number,
  title,
  ...needs,
  test,
})

/** Declares a sentence whose requests do not create anything, even if the service is faulty. */
export const reads = (number: string, title: string, test: Sentence["test"]): Sentence =>
  sentence(number, title, { writes: false }, test)

/** Declares a sentence whose requests create pets, or would if the service is faulty. */
export const writes = (number: string, title: string, test: Sentence["test"]): Sentence =>
  sentence(number, title, { writes: true }, test)

/** The needs of a sentence that reads a list of at least this many pets, with this status if it is given. */
export const listOf = (pets: number, ofStatus?: string): Needs => ({
  writes: false,
  pets,
  ...(ofStatus !== undefined && { ofStatus }),
})

export const keyless = { authorization: [] } as const

/** The sentence cannot be tested on this service, so it neither passes nor fails. */
export class NotTested extends Error {}

export type Cases<A> = ReadonlyArray<readonly [name: string, value: A]>

/** Runs each case. The failure message names the failing case. */
export const each = async <A>(cases: Cases<A>, attempt: (value: A, name: string) => Promise<unknown>): Promise<void> => {
  for (const [name, value] of cases) {
    try {
      await attempt(value, name)
    } catch (cause) {
      if (cause instanceof NotTested) throw cause
      throw new Error(`case ${name}: ${messageOf(cause)}`, { cause })
    }
  }
}

/** A value that names its case. */
export type Named = string | null | Uint8Array | ReadonlyArray<string>

/** Runs one case for each value. The abbreviated value is the name of the case. */
export const eachOf = <A extends Named>(values: ReadonlyArray<A>, attempt: (value: A) => Promise<unknown>): Promise<void> =>
  each(
    values.map((value) => [nameOf(value).slice(0, 120), value] as const),
    attempt,
  )

const nameOf = (value: Named): string =>
  JSON.stringify(value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : value)
