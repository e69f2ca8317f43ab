/** The changes as both databases store them: each side as JSON text, and operations as numbers. */
import { type Change, type ChangedBy, type ChangeOperation, changeOperations, type Touched } from "@petstore/core"
import { parseExactJson } from "@petstore/core/exact-json"
import { checksumOf, encodeTouched } from "@petstore/core/internal"

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

/** A stored change. `at` is in ms since 1970, and a row of `change_actors` with an empty account is a command. */
export interface ChangeRow {
  readonly place: string
  readonly at: bigint
  readonly operation: bigint
  readonly requestId: string | null
  readonly before: string | null
  readonly after: string | null
  readonly accountId: string | null
  readonly keyId: string | null
  readonly accountName: string | null
  readonly label: string | null
}

const byOf = ({ accountId, keyId, accountName, label }: ChangeRow): ChangedBy | undefined => {
  if (accountId === null || keyId === null) return undefined
  if (accountId === "") return { command: keyId }
  return {
    account: { id: accountId, name: accountName ?? accountId },
    key: { id: keyId, ...(label !== null && { label }) },
  }
}

export const changeOfRow = (row: ChangeRow): Change => {
  const by = byOf(row)
  const [before, after] = [touchedIn(row.before), touchedIn(row.after)]
  const operation = changeOperations[Number(row.operation) - 1]
  if (operation === undefined) throw new Error(`The change ${row.place} has the unknown operation ${row.operation}.`)
  return {
    id: row.place,
    at: new Date(Number(row.at)),
    operation,
    ...(by !== undefined && { by }),
    ...(row.requestId !== null && { requestId: row.requestId }),
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after }),
  }
}

/** Tells a change from another one with the same number in a store that was copied or restored. */
export const tagOf = (...values: ReadonlyArray<string | bigint | null>): string => checksumOf(values.join("\n"))

/** The place before the first change of a store. */
export const firstPlace = "0-0"

/** A change's identifier on every engine, and the place behind it in SQLite. */
export const changePlace = ({
  id,
  at,
  operation,
  requestId,
  before,
  after,
}: Pick<ChangeRow, "at" | "operation" | "requestId" | "before" | "after"> & { readonly id: bigint }): string =>
  `${id}-${tagOf(at, operation, requestId, before, after)}`

/** The number of the change at such a place, if the text looks like one. */
export const numberIn = (place: string): bigint | undefined => {
  const [, number] = /^([0-9]{1,18})-[0-9A-Za-z]+$/.exec(place) ?? []
  return number === undefined ? undefined : BigInt(number)
}
