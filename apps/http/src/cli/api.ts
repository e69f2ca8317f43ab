/**
 * The commands that call the API of a running service: one for each operation, derived from its description. They show the same
 * sentences as the contract, and leave the checks of values to the service.
 */
import {
  type Description,
  descriptionOf,
  type JsonSchema,
  jsonSchemas,
  type OperationName,
  operations,
  parameters,
  words,
} from "@petstore/core/contract"
import { type Command, decodeIdentifier, type OptionDefinition } from "./command.js"

const definitions: Readonly<Record<string, JsonSchema>> = jsonSchemas

const schemaOf = (schema: JsonSchema): JsonSchema => {
  const { $ref: reference } = schema
  return typeof reference === "string" ? schemaOf(definitions[reference.replace("#/$defs/", "")] ?? {}) : schema
}

/** How the text of an option becomes the value that the client takes. */
const decodeAs = (schema: JsonSchema): ((text: string) => unknown) => {
  const { type, format, items } = schemaOf(schema)
  if (format === "int64") return decodeIdentifier
  if (type === "integer") return Number
  if (type === "array") return (text) => text.split(",").map(decodeAs(Object(items)))
  // The parser would turn null into an empty text, so that text stands for it until the call.
  return (text) => text
}

const kebab = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

const plain = (sentence: string): string => sentence.replaceAll("`", "").replace(/ (?:Experimental\.|64 bits: .*)$/, "")

const optionOf = (name: string, schema: JsonSchema, description: string, isRequired: boolean): OptionDefinition<unknown> => {
  const { type, enum: choices, anyOf } = schemaOf(schema)
  const does = plain(description) + (Array.isArray(anyOf) ? " An empty text means null." : "")
  if (type === "boolean") return { flags: `--${kebab(name)}`, does }
  const flags = `--${kebab(name)} <${kebab(name)}>`
  const rest = Array.isArray(choices) ? { choices: choices.map(String) } : { decode: decodeAs(schema) }
  return { flags, does, ...rest, ...(isRequired && { isRequired }) }
}

const ifMatch: OptionDefinition<unknown> = { flags: "--if-match <etag>", does: "only if the item still has this entity tag" }

const optionsOf = ({ parameters: names, takes, kind }: Description): Readonly<Record<string, OptionDefinition<unknown>>> => {
  const query = names.map((name) => parameters[name]).filter(({ in: place }) => place === "query")
  const { properties, required = [] } = takes === undefined ? {} : schemaOf(definitions[takes] ?? {})
  const members: ReadonlyArray<readonly [string, JsonSchema]> = Object.entries(Object(properties))
  return {
    ...Object.fromEntries(query.map(({ name, schema, description }) => [name, optionOf(name, schema, description, false)])),
    ...Object.fromEntries(
      members.map(([name, schema]) => [
        name,
        optionOf(name, schema, String(schema["description"]), Array.isArray(required) && required.includes(name)),
      ]),
    ),
    ...((kind === "patch" || kind === "replace" || kind === "remove") && { ifMatch }),
  }
}

/** `listPets` is `pets list`. What there is only one of has no verb: `me`. */
const commandName = (operation: OperationName, { kind, path, tag }: Description): string =>
  kind === "read" && !path.includes("{")
    ? tag
    : `${tag} ${operation.replace(/(?:Pets?|Orders?|Category|Categories|Changes)$/, "")}`

const rowOf = (operation: OperationName): Command => {
  const description = descriptionOf(operation)
  const { path, stability, takes } = description
  const { summary, description: explanation } = words[operation]
  const { properties } = takes === undefined ? {} : schemaOf(definitions[takes] ?? {})
  const isNullable = (name: string): boolean => "anyOf" in Object(Object(properties)[name])
  return {
    name: commandName(operation, description),
    args: path.includes("{") ? ["id"] : [],
    does: summary.charAt(0).toLowerCase() + summary.slice(1) + (stability === "stable" ? "" : " (experimental)"),
    details: `${plain(explanation)}\n\nPETSTORE_URL is the address of the service (http://127.0.0.1:3000), and PETSTORE_API_KEY the API key.`,
    options: optionsOf(description),
    store: "none",
    hasJson: true,
    // Loaded on demand: most commands call no service.
    run: async ({ id }, { json, ifMatch: tag, ...values }) => {
      const { callApi } = await import("./api-call.js")
      await callApi({
        operation,
        id: id === undefined ? undefined : String(id),
        values: Object.fromEntries(
          Object.entries(values).map(([name, value]) => [name, value === "" && isNullable(name) ? null : value]),
        ),
        ifMatch: tag === undefined ? undefined : String(tag),
        ...(json === true && { json }),
      })
    },
  }
}

// Safe: these are the keys of this very object.
export const apiCommands: ReadonlyArray<Command> = (Object.keys(operations) as ReadonlyArray<OperationName>).map(rowOf)

/** The groups of these commands. */
export const apiGroups: Readonly<Record<string, string>> = {
  pets: "the animals, through the API of a running service",
  orders: "the orders, through the API of a running service",
  categories: "the names of categories, through the API of a running service",
  changes: "what happened, through the API of a running service",
}
