import type { NewPet as DomainNewPet } from "@petstore/core"

/** A pet's availability. */
export type PetStatus = "available" | "pending" | "sold"

/** The values of a new pet. */
export interface NewPet {
  /** Not blank, at most 1024 code points. Stored exactly as given. */
  readonly name: string
  /** A 64-bit integer, exact past 2^53: write `7n`, or `BigInt("9007199254740993")`. */
  readonly categoryId: bigint
  /** An absent status stays absent, and the pet matches no status filter. */
  readonly status?: PetStatus | undefined
}

/** A pet that the service has stored. */
export interface Pet {
  /** Assigned by the service: a 64-bit integer, exact past 2^53. */
  readonly id: bigint
  readonly name: string
  readonly categoryId: bigint
  readonly status?: PetStatus
}

/** A correction to a pet. Members that are absent keep their values. */
export interface PetCorrection {
  readonly name?: string | undefined
  readonly categoryId?: bigint | undefined
  /** `null` removes the status. */
  readonly status?: PetStatus | null | undefined
}

/** Every status. Does not compile if core's list differs. */
export const petStatuses = {
  available: "available",
  pending: "pending",
  sold: "sold",
} as const satisfies Record<NonNullable<DomainNewPet["status"]>, PetStatus>

/** Returns a bigint of at most 64 bits. Throws a `TypeError` for other values: a number may already be rounded. */
export const int64Of = (name: string, value: bigint): bigint => {
  if (typeof value !== "bigint") {
    throw new TypeError(`${name} must be a bigint, got ${typeof value}: write 7n, or BigInt("7") for a string.`)
  }
  if (BigInt.asIntN(64, value) !== value) throw new TypeError(`${name} must be a 64-bit integer, got ${value}.`)
  return value
}

export const textOf = (value: string, name = "name"): string => {
  if (typeof value !== "string") throw new TypeError(`${name} must be a string, got ${typeof value}.`)
  return JSON.stringify(value)
}

const statusOf = (status: PetStatus | null): string => {
  if (decodeStatus(status) === undefined) throw new TypeError(`status must be one of ${Object.keys(petStatuses).join(", ")}.`)
  return JSON.stringify(status)
}

/** Keeps every digit of integers. The same pet always results in the same text, because retries must send identical text. */
export const encodeNewPet = ({ name, categoryId, status }: NewPet): string => {
  const rest = status === undefined ? "" : `,"status":${statusOf(status)}`
  return `{"name":${textOf(name)},"categoryId":${int64Of("categoryId", categoryId)}${rest}}`
}

export const encodePetCorrection = ({ name, categoryId, status }: PetCorrection): string => {
  const members = [
    ...(name === undefined ? [] : [`"name":${textOf(name)}`]),
    ...(categoryId === undefined ? [] : [`"categoryId":${int64Of("categoryId", categoryId)}`]),
    ...(status === undefined ? [] : [`"status":${status === null ? null : statusOf(status)}`]),
  ]
  return `{${members.join(",")}}`
}

/** Returns the members of a JSON object, or an empty object for any other value. */
export const members = (json: unknown): Readonly<Record<string, unknown>> =>
  // Safe: nothing is assumed about the members of the object.
  typeof json === "object" && json !== null && !Array.isArray(json) ? (json as Readonly<Record<string, unknown>>) : {}

/** Decodes a 64-bit integer. `parseExactJson` returns a number only if it is exact, and a bigint only for a 64-bit integer. */
export const int64 = (value: unknown): bigint | undefined =>
  typeof value === "bigint" || (typeof value === "number" && Number.isSafeInteger(value)) ? BigInt(value) : undefined

export const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

export const flag = (value: unknown): boolean | undefined => (typeof value === "boolean" ? value : undefined)

export const timestamp = (value: unknown): Date | undefined => {
  const date = new Date(typeof value === "string" ? value : Number.NaN)
  return Number.isNaN(date.getTime()) ? undefined : date
}

export const oneOf =
  <Status extends string>(statuses: Readonly<Record<string, Status>>) =>
  (value: unknown): Status | undefined =>
    Object.values(statuses).find((status) => status === value)

/** Whether a member of an object may be absent. */
type IsOptional<A, Name extends keyof A> = Partial<Pick<A, Name>> extends Pick<A, Name> ? true : false

type Decoders<A, Optional extends boolean> = {
  readonly [Name in keyof A as IsOptional<A, Name> extends Optional ? Name : never]-?: (json: unknown) => A[Name] | undefined
}

/** Returns the decoder of an object. It returns `undefined` if a member is invalid, and leaves out unknown members. */
export const object = <A>(required: Decoders<A, false>, optional: Decoders<A, true>) => {
  const named = Object.entries<(json: unknown) => unknown>({ ...required, ...optional })
  return (json: unknown): A | undefined => {
    const given = members(json)
    const decoded: Record<string, unknown> = {}
    for (const [name, decode] of named) {
      if (name in optional && given[name] === undefined) continue
      const value = decode(given[name])
      if (value === undefined) return undefined
      decoded[name] = value
    }
    // Safe: each member has the value that its decoder returned.
    return decoded as A
  }
}

const decodeStatus = oneOf(petStatuses)

export const decodePet = object<Pet>({ id: int64, name: text, categoryId: int64 }, { status: decodeStatus })

/** Decodes the items of a list. Returns `undefined` if any item is not valid. */
export const decodeEach = <A>(json: unknown, decode: (item: unknown) => A | undefined): ReadonlyArray<A> | undefined => {
  if (!Array.isArray(json)) return undefined
  const items = json.map(decode)
  return items.every((item) => item !== undefined) ? items : undefined
}
