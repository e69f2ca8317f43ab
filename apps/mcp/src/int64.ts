/**
 * 64-bit integers for agents: a number up to 2^53, decimal text beyond, and both are accepted. The contract's schemas say which
 * values they are.
 */
import { type JsonSchema, jsonSchemas } from "@petstore/core/contract"

const namePrefix = "#/$defs/"

const definitions: Readonly<Record<string, JsonSchema>> = jsonSchemas

/** The schema that a schema refers to, or the schema itself. */
const resolved = (schema: JsonSchema): JsonSchema => {
  const { $ref: name } = schema
  return (typeof name === "string" ? definitions[name.slice(namePrefix.length)] : undefined) ?? schema
}

const isInt64 = ({ format }: JsonSchema): boolean => format === "int64"

const safe = { type: "integer", minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER } as const

/** The schema without references, and with both forms of a 64-bit integer. */
export const schemaForAgents = (schema: JsonSchema): JsonSchema =>
  JSON.parse(JSON.stringify(resolved(schema)), (_keyword, part: unknown) => {
    const inner: JsonSchema = Object(part)
    if (typeof inner["$ref"] === "string") return schemaForAgents(inner)
    if (!isInt64(inner)) return part
    const description = "A number, or decimal text, which keeps all digits beyond 2^53."
    return { anyOf: [safe, { type: "string", pattern: "^-?[0-9]{1,19}$" }], description }
  })

const toInt64 = (name: string, given: unknown): bigint => {
  if (typeof given === "string" && /^-?[0-9]{1,19}$/.test(given)) return BigInt(given)
  if (Number.isSafeInteger(given)) return BigInt(Number(given))
  throw new TypeError(`${name}: expected an integer, and beyond 2^53 decimal text, not ${JSON.stringify(given)}.`)
}

/** An argument with its 64-bit integers as `bigint`. */
export const fromAgent = (name: string, schema: JsonSchema, given: unknown): unknown => {
  const { items } = resolved(schema)
  if (isInt64(schema)) return toInt64(name, given)
  return Array.isArray(given) && items !== undefined ? given.map((item) => fromAgent(name, Object(items), item)) : given
}

/** A value as plain JSON. */
export const toAgent = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_name, part: unknown) => {
      if (typeof part !== "bigint") return part
      return Number.isSafeInteger(Number(part)) ? Number(part) : String(part)
    }),
  )
