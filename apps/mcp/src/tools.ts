/** A tool for each operation of the contract, derived from the operation's description. */
import type { Tool } from "@modelcontextprotocol/sdk/types.js"
import type { Client, Result } from "@petstore/client"
import { type Description, type JsonSchema, jsonSchemas, operations, parameters, words } from "@petstore/core/contract"
import { fromAgent, schemaForAgents, toAgent } from "./int64.ts"

type Arguments = Readonly<Record<string, unknown>>

export interface OperationTool {
  readonly tool: Tool
  /** Whether a read-only API key may use it. */
  readonly isReading: boolean
  /** Calls the operation. Resolves with the tool's structured result. Rejects as the client does. */
  readonly call: (client: Client, given: Arguments) => Promise<Record<string, unknown>>
}

const definitions: Readonly<Record<string, JsonSchema>> = jsonSchemas

const text = (description: string): JsonSchema => ({ type: "string", minLength: 1, description })

const etagSchema = text("The etag of the item as you read it. If the item has changed since, nothing changes.")

const keySchema = text(
  "Optional: your own name for this creation. A repetition with the same key and arguments creates nothing. A failure has the key that was sent.",
)

const nextCursorSchema = text(
  "Pass it as `cursor`, with the same other arguments, to get the next page. Absent on the last page.",
)

const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const lower = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1)

const firstSentence = (description: string): string => /^.*?\.(?= |$)/.exec(description)?.[0] ?? description

/** The arguments of a tool by what they become. */
const argumentsOf = ({ kind, takes, parameters: names }: Description) => {
  const all = names.map((name) => parameters[name])
  const path = all.find((parameter) => parameter.in === "path")
  const query = all.filter((parameter) => parameter.in === "query")
  const body = takes === undefined ? undefined : definitions[takes]
  const fields: Readonly<Record<string, JsonSchema>> = {
    ...(path !== undefined && { [path.name]: path.schema }),
    ...Object.fromEntries(query.map(({ name, schema, description }) => [name, { ...schema, description }])),
    ...Object(body?.["properties"]),
  }
  const own = {
    ...(kind === "create" && { idempotencyKey: keySchema }),
    ...((kind === "patch" || kind === "replace" || kind === "remove") && { etag: etagSchema }),
  }
  const needsEtag = kind === "patch" || kind === "remove"
  const bodyRequired: ReadonlyArray<string> = Array.isArray(body?.["required"]) ? body["required"] : []
  const required = [...(path === undefined ? [] : [path.name]), ...bodyRequired, ...(needsEtag ? ["etag"] : [])]
  return { path: path?.name, fields, own, required }
}

const outputOf = ({ kind, gives }: Description): Tool["outputSchema"] => {
  if (gives === undefined) return { type: "object", properties: { removed: { type: "boolean" } }, required: ["removed"] }
  const one = lower(gives)
  const more = kind === "list" ? { nextCursor: nextCursorSchema } : { etag: etagSchema }
  return { type: "object", properties: { [one]: schemaForAgents(definitions[gives] ?? {}), ...more }, required: [one] }
}

/** The client's function for an operation: those of orders and categories are in groups, without the group's name. */
const callOf = (client: Client, name: string, tag: string, given: ReadonlyArray<unknown>): Promise<Result<unknown>> => {
  const group: unknown = tag === "orders" ? client.orders : tag === "categories" ? client.categories : client
  const verb = group === client ? name : name.replace(/(?:Orders?|Category|Categories)$/, "")
  return Reflect.apply(Object(group)[verb], group, given)
}

const toolOf = (name: string, description: Description): OperationTool => {
  const { kind, method, tag, gives } = description
  const { path, fields, own, required } = argumentsOf(description)
  const { summary, description: explanation } = words[name as keyof typeof words]
  const isReading = method === "GET"
  const known = Object.keys({ ...fields, ...own })
  const tool: Tool = {
    name: snake(name),
    title: summary,
    description: firstSentence(explanation),
    inputSchema: {
      type: "object",
      properties: { ...Object.fromEntries(Object.entries(fields).map(([field, one]) => [field, schemaForAgents(one)])), ...own },
      required,
      additionalProperties: false,
    },
    outputSchema: outputOf(description),
    annotations: {
      readOnlyHint: isReading,
      destructiveHint: kind === "patch" || kind === "replace" || kind === "remove",
      idempotentHint: kind !== "create",
      openWorldHint: false,
    },
  }

  /** The arguments of the client's function. */
  const givenOf = (given: Arguments): ReadonlyArray<unknown> => {
    const { etag, idempotencyKey, ...rest } = given
    const values = Object.fromEntries(
      Object.entries(rest).map(([field, value]) => [field, fromAgent(field, fields[field] ?? {}, value)]),
    )
    const { [path ?? ""]: id, ...others } = values
    const condition = etag === undefined ? {} : { ifMatch: etag }
    switch (kind) {
      case "list":
        return [values]
      case "create":
        return [values, idempotencyKey === undefined ? {} : { idempotencyKey }]
      case "patch":
      case "replace":
        return [id, others, condition]
      case "remove":
        return [id, condition]
      default:
        return path === undefined ? [] : [id]
    }
  }

  return {
    tool,
    isReading,
    call: async (client, given) => {
      for (const field of Object.keys(given))
        if (!known.includes(field)) throw new TypeError(`${field} is not an argument of this tool: expected ${known.join(", ")}.`)
      for (const field of required) if (given[field] === undefined) throw new TypeError(`${field} is missing.`)
      const { value, etag } = await callOf(client, name, tag, givenOf(given))
      if (gives === undefined) return { removed: true }
      if (kind !== "list") return { [lower(gives)]: toAgent(value), ...(etag !== undefined && { etag }) }
      const { items, next }: { items?: unknown; next?: { cursor?: string } } = Object(value)
      return { [lower(gives)]: toAgent(items), ...(next?.cursor !== undefined && { nextCursor: next.cursor }) }
    },
  }
}

export const operationTools: ReadonlyArray<OperationTool> = Object.entries(operations).map(([name, description]) =>
  toolOf(name, description),
)
