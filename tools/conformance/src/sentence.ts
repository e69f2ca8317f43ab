/** The type of a sentence of the suite, and its helpers. */
import type { Http } from "@petstore/harness/http"

/** Optional inputs of a run, besides the base address and a key. */
export interface Given {
  /** A valid key of another account, whose rate limit may be used up. */
  readonly secondKey?: string | undefined
  readonly revokedKey?: string | undefined
  readonly expiredKey?: string | undefined
  readonly readOnlyKey?: string | undefined
  /** Address of the quickstart, without `/messages`. */
  readonly quickstartUrl?: string | undefined
  /** An origin that `CORS_ORIGINS` names. */
  readonly origin?: string | undefined
  /** Whether the run may wait for the time limits of the service. */
  readonly patient?: boolean | undefined
}

export interface Context {
  readonly http: Http
  readonly given: Given
  /** Whether this run may create pets. */
  readonly write: boolean
}

/** What a sentence needs. `writes`: it sends requests that create pets, or that would on a wrong service. */
export interface Needs {
  readonly writes: boolean
  /** This many pets of this status are listed: missing ones are created, if the run may. */
  readonly pets?: number
  readonly ofStatus?: string
  readonly needs?: ReadonlyArray<keyof Given>
}

export interface Sentence extends Needs {
  /** Number in `docs/specification.md`. */
  readonly number: string
  readonly title: string
  readonly test: (context: Context) => Promise<unknown>
}

/** Whether a sentence has this number, or is in this section (`4.1.3`, `4.1`, `4`). */
export const isPartOf = (number: string, part: string): boolean => number === part || number.startsWith(`${part}.`)

/** Declares one sentence: its number, its observable effect, its needs, and its test. */
export const sentence = (number: string, title: string, needs: Needs, test: Sentence["test"]): Sentence => ({
  number,
  title,
  ...needs,
  test,
})

/** Declares a sentence whose requests create nothing, even on a wrong service. */
export const reads = (number: string, title: string, test: Sentence["test"]): Sentence =>
  sentence(number, title, { writes: false }, test)

/** Declares a sentence whose requests create pets, or would on a wrong service. */
export const writes = (number: string, title: string, test: Sentence["test"]): Sentence =>
  sentence(number, title, { writes: true }, test)

/** A request without an `Authorization` header. */
export const keyless = { authorization: [] } as const

/** The service cannot be tested for the sentence, which neither passes nor fails. */
export class NotTested extends Error {}

/** Tries each case; a failure names its case. */
export const each = async <A>(
  cases: ReadonlyArray<readonly [name: string, value: A]>,
  attempt: (value: A, name: string) => Promise<unknown>,
): Promise<void> => {
  for (const [name, value] of cases) {
    try {
      await attempt(value, name)
    } catch (cause) {
      if (cause instanceof NotTested) throw cause
      throw new Error(`case ${name}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
    }
  }
}

/** Tries each value: its name is itself, shortened. */
export const eachOf = <A extends string | Uint8Array | ReadonlyArray<string>>(
  values: ReadonlyArray<A>,
  attempt: (value: A) => Promise<unknown>,
): Promise<void> =>
  each(
    values.map((value) => [nameOf(value).slice(0, 120), value] as const),
    attempt,
  )

const nameOf = (value: string | Uint8Array | ReadonlyArray<string>): string =>
  JSON.stringify(value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : value)
