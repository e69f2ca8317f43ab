/** The changes as both databases store them: each side as JSON text, and operations as numbers. */
import { type Actor, type Change, type ChangedBy, type ChangeOperation, changeOperations, type Touched } from "@petstore/core"
import { parseExactJson } from "@petstore/core/exact-json"
import { checksumOf, encodeTouched } from "@petstore/core/internal"

/** A change before it is stored. */
export interface RecordedChange {
  readonly operation: ChangeOperation
  readonly by: Actor | undefined
  readonly before: Touched | undefined
  readonly after: Touched | undefined
}

/** The account, which is empty for a command, and the key or the command. */
export const columnsOfActor = (by: Actor): readonly [account: string, key: string] =>
  "command" in by ? ["", by.command] : [by.accountId, by.keyId]

export const requestIdOf = (by: Actor | undefined): string | null =>
  (by !== undefined && "requestId" in by ? by.requestId : undefined) ?? null

export const numberOfOperation = (operation: ChangeOperation): number => changeOperations.indexOf(operation) + 1

export const touchedText = (touched: Touched | undefined): string | null =>
  touched === undefined ? null : encodeTouched(touched)

/** Does not check the values again, because SQL by hand may have written any. Its absent values are `null`. */
const membersOf = (json: unknown): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(Object(json)).flatMap(([name, value]): ReadonlyArray<readonly [string, unknown]> => {
      if (value === null) return []
      if (name === "createdAt" || name === "updatedAt")
        return [[name, new Date(typeof value === "string" ? value : Number(value))]]
      return [[name, typeof value === "number" ? BigInt(value) : value]]
    }),
  )

export const touchedIn = (text: string | null): Touched | undefined => {
  if (text === null) return undefined
  const resources = Object.entries(Object(parseExactJson(text)))
  // Safe: only `touchedText` and the triggers of the schema write these texts.
  return Object.fromEntries(resources.map(([name, json]) => [name, membersOf(json)])) as Touched
}

/** The columns of a stored change that every program sees. `at` is in ms since 1970. */
export type StoredChange = readonly [
  id: bigint,
  at: bigint,
  operation: bigint,
  requestId: string | null,
  before: string | null,
  after: string | null,
]

/** Who made a change, from `change_actors` and with names: a command has an empty account, and SQL by hand has no row. */
export type StoredActor = readonly [
  accountId: string | null,
  keyId: string | null,
  accountName: string | null,
  label: string | null,
]

export type ChangeRow = readonly [...StoredChange, ...StoredActor]

const byOf = ([accountId, keyId, accountName, label]: StoredActor): ChangedBy | undefined => {
  if (accountId === null || keyId === null) return undefined
  if (accountId === "") return { command: keyId }
  return {
    account: { id: accountId, name: accountName ?? accountId },
    key: { id: keyId, ...(label !== null && { label }) },
  }
}

export const changeOfRow = (row: ChangeRow): Change => {
  const [id, at, number, requestId, before, after, ...actor] = row
  const operation = changeOperations[Number(number) - 1]
  if (operation === undefined) throw new Error(`The change ${id} has the unknown operation ${number}.`)
  const [by, from, to] = [byOf(actor), touchedIn(before), touchedIn(after)]
  return {
    id: changePlace(row),
    at: new Date(Number(at)),
    operation,
    ...(by !== undefined && { by }),
    ...(requestId !== null && { requestId }),
    ...(from !== undefined && { before: from }),
    ...(to !== undefined && { after: to }),
  }
}

/** Tells a change from another one with the same number in a store that was copied or restored. */
export const tagOf = (...values: ReadonlyArray<string | bigint | null>): string => checksumOf(values.join("\n"))

/** The place before the first change of a store. */
export const firstPlace = "0-0"

/** A change's identifier on every engine, and the place behind it in SQLite. */
export const changePlace = ([id, at, operation, requestId, before, after]: readonly [
  ...StoredChange,
  ...ReadonlyArray<unknown>,
]): string => `${id}-${tagOf(at, operation, requestId, before, after)}`

/** The number of the change at such a place, if the text looks like one. */
export const numberIn = (place: string): bigint | undefined => {
  const [, number] = /^([0-9]{1,18})-[0-9A-Za-z]+$/.exec(place) ?? []
  return number === undefined ? undefined : BigInt(number)
}
