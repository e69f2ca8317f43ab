/** Pages of pets: what to ask for, and where the next one starts. */
import type { Pet, PetStatus } from "./pet.js"

/** Which page of pets to list. */
export interface PetQuery {
  /** Only pets of this status. */
  readonly status?: PetStatus | undefined
  /** At most this many pets, 1 to 100. */
  readonly limit?: number | undefined
  /** Where the page starts: taken from `next`, with the same `status`. */
  readonly cursor?: string | undefined
}

/** One page of pets, by ascending identifier. */
export interface Page {
  readonly items: ReadonlyArray<Pet>
  /**
   * The query of the next page, for `listPets` as it is; absent on the last page.
   * Plain data with the cursor in it: it may be kept, and sent on as JSON.
   */
  readonly next?: PetQuery & { readonly cursor: string }
}

/** The path of a page, relative to the base address. */
export const pagePath = ({ status, limit, cursor }: PetQuery): string => {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries({ limit, status, cursor })) {
    if (value !== undefined) parameters.set(name, String(value))
  }
  const query = parameters.toString()
  return query === "" ? "/pets" : `/pets?${query}`
}

/** One target of a `Link` header with its parameters (RFC 8288 §3). */
const link = /<[^>?]*\??([^>]*)>([^<]*)/g
const isNext = /;\s*rel="?next"?/i

/** The cursor that a `Link` header names as `rel="next"`; `undefined` if there is none. */
export const nextCursor = (header: string | null): string | undefined => {
  for (const [, query = "", parameters = ""] of (header ?? "").matchAll(link)) {
    if (isNext.test(parameters)) return new URLSearchParams(query).get("cursor") ?? undefined
  }
  return undefined
}
