/** Calls an operation of a running service, and prints the result as JSON or as a table. */
import { type Client, createClient, isPetstoreError, type Result } from "@petstore/client"
import { int64FromText } from "@petstore/core"
import { basePath, descriptionOf, type OperationName } from "@petstore/core/contract"
import { stringifyExactJson } from "@petstore/core/exact-json"
import { visible } from "@petstore/pet-files"
import { Effect, Option } from "effect"
import { readServiceAddress } from "../config.js"
import { columns, writeOut } from "./output.js"
import { CommandFailed, runCommand, WrongUsage, warn } from "./program.js"

/** A call of an operation: the values of its parameters and of its body's members. */
interface ApiCall {
  readonly operation: OperationName
  /** In decimal digits. */
  readonly id: string | undefined
  readonly values: Readonly<Record<string, unknown>>
  readonly ifMatch: string | undefined
  readonly json?: true
}

const clientOf = (): Client => {
  const { url, apiKey } = readServiceAddress()
  if (apiKey === undefined) throw new TypeError("PETSTORE_API_KEY is missing: set it to an API key of the service.")
  const origin = url.replace(/\/$/, "")
  return createClient({ baseUrl: origin.endsWith(basePath) ? origin : origin + basePath, apiKey })
}

const identifier = (text: string): bigint =>
  Option.getOrElse(int64FromText(text), () => {
    throw new TypeError(`${JSON.stringify(text)} is not an identifier: expected a 64-bit integer.`)
  })

/** The client's function for an operation: those of orders and categories are in groups, without the group's name. */
const send = async (client: Client, { operation, id, values, ifMatch }: ApiCall): Promise<Result<unknown>> => {
  const { kind, tag } = descriptionOf(operation)
  const group = tag === "orders" || tag === "categories" ? client[tag] : client
  const call = group === client ? operation : operation.replace(/(?:Orders?|Category|Categories)$/, "")
  const given = kind === "list" || kind === "create" || kind === "patch" || kind === "replace" ? [values] : []
  const condition = ifMatch === undefined ? [] : [{ ifMatch }]
  return Reflect.apply(Object(group)[call], group, [...(id === undefined ? [] : [identifier(id)]), ...given, ...condition])
}

const cell = (value: unknown): string => {
  if (value === undefined) return "-"
  if (value instanceof Date) return value.toISOString()
  return visible(typeof value === "object" ? stringifyExactJson(value) : String(value))
}

const table = (items: ReadonlyArray<object>): string => {
  const names = [...new Set(items.flatMap((item) => Object.keys(item)))]
  const rows = items.map((item) => names.map((name) => cell(Object(item)[name])))
  return columns(
    names.map((name) => name.toUpperCase()),
    rows,
  )
}

const write = (text: string): Promise<void> =>
  writeOut(text).catch((thrown: Error) => {
    throw new CommandFailed({ reason: thrown.message })
  })

const failure = (thrown: unknown): CommandFailed | WrongUsage => {
  if (isPetstoreError(thrown)) return new CommandFailed({ reason: visible(thrown.message) })
  if (thrown instanceof TypeError) return new WrongUsage({ reason: thrown.message })
  if (thrown instanceof CommandFailed) return thrown
  throw thrown
}

/** Calls the operation. A failure is told on standard error, with the exit code 1, or 2 if nothing was sent. */
export const callApi = (call: ApiCall): Promise<void> =>
  runCommand(
    Effect.tryPromise({
      try: async () => {
        const { value, etag } = await send(clientOf(), call)
        const { items, next }: { items?: ReadonlyArray<object>; next?: { cursor?: string } } = Object(value)
        const shown = items ?? (value === undefined ? [] : [Object(value)])
        if (call.json === true) await write(`${stringifyExactJson(items === undefined ? (value ?? null) : value)}\n`)
        else if (shown.length > 0) await write(`${table(shown)}\n`)
        if (etag !== undefined && items === undefined) warn(`entity tag: ${etag}`)
        if (next?.cursor !== undefined && call.json !== true) warn(`there is more: --cursor ${next.cursor}`)
      },
      catch: failure,
    }),
  )
