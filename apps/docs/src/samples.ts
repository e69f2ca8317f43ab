/** Sample code for a call, in three languages. The build writes the code, and the browser rewrites it with the reader's input. */
import type { OperationName } from "@petstore/core/contract"
import { type Call, targetOf } from "./call.ts"
import { type JsonToken, layOutJson } from "./json-layout.ts"

export type Language = "curl" | "TypeScript" | "Python"

/** The environment variable from which samples read the API key until the reader has typed one. */
const variable = "PETSTORE_API_KEY"

/** A call, its base address, and the typed API key, or `""` if none has been typed. */
export interface Sampled {
  readonly call: Call
  readonly base: string
  readonly apiKey: string
}

/** Quotes text as one word for a POSIX shell. */
const shellWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** Returns a call, preceded by the calls that it depends on. */
const allOf = (call: Call): ReadonlyArray<Call> => [...(call.before ?? []), call]

const curl = ({ call, ...rest }: Sampled): string =>
  allOf(call)
    .map((each) => curlOf({ call: each, ...rest }))
    .join("\n\n")

const curlOf = ({ call, base, apiKey }: Sampled): string => {
  const credential = apiKey === "" ? `"Authorization: Bearer $${variable}"` : shellWord(`Authorization: Bearer ${apiKey}`)
  const headers = call.headers.map(([name, value]) => `-H ${shellWord(`${name}: ${value}`)}`)
  const body = call.body === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d ${shellWord(call.body)}`]
  const isImplied = call.method === (call.body === undefined ? "GET" : "POST")
  const method = isImplied ? "" : ` -X ${call.method}`
  return [`curl${method} ${shellWord(base + targetOf(call))}`, `-H ${credential}`, ...headers, ...body].join(" \\\n  ")
}

const identifier = /^"([A-Za-z_$][\w$]*)"$/

/** Writes JSON text in another language's notation. Returns `undefined` if the text is not JSON. */
const respelled = (json: string, spell: (token: JsonToken) => string): string | undefined => layOutJson(json)?.map(spell).join("")

const asTypeScript = ({ kind, text }: JsonToken): string => {
  if (kind === "name") return identifier.exec(text)?.[1] ?? text
  return kind === "number" && /^-?\d+$/.test(text) ? `${text}n` : text
}

const pythonWords: Readonly<Record<string, string>> = { true: "True", false: "False", null: "None" }

const asPython = ({ kind, text }: JsonToken): string => {
  if (kind === "keyword") return pythonWords[text] ?? text
  // JSON escapes UTF-16 code units, but Python escapes code points.
  return kind === "string" || kind === "name" ? JSON.stringify(JSON.parse(text)) : text
}

const listOptions = (query: Call["query"]): string => {
  const options = query.map(([name, value]) => {
    const isInteger = /^(?:id|\w+Id)$/.test(name) && /^-?\d+$/.test(value)
    const spelled = isInteger ? `${value}n` : JSON.stringify(value)
    return `${name}: ${name === "limit" ? value : name === "id" ? `[${spelled}]` : spelled}`
  })
  return options.length === 0 ? "" : `{ ${options.join(", ")} }`
}

const idOf = ({ inPath }: Call): string => `${inPath[0]?.[1] ?? ""}n`

const created = ({ body = "", headers }: Call): string => {
  const key = headers.find(([name]) => name === "Idempotency-Key")?.[1]
  const given = respelled(body, asTypeScript) ?? "/* not JSON yet */"
  return key === undefined ? given : `${given}, { idempotencyKey: ${JSON.stringify(key)} }`
}

type MakeCall = (call: Call) => string

/** The client call for each operation. On a new catalogue, samples that run in this order get the responses shown. */
const clientCalls: Readonly<Record<string, MakeCall>> = {
  createPet: (call) => `const pet = await petstore.createPet(${created(call)})
console.log(pet.id)`,
  listPets: ({ query }) => `const page = await petstore.listPets(${listOptions(query)})
for (const pet of page.items) console.log(pet.id, pet.name)`,
  getPet: (call) => `const pet = await petstore.getPet(${idOf(call)})
console.log(pet.name, pet.status)`,
  createOrder: (call) => `const order = await petstore.orders.create(${created(call)})
console.log(order.id, order.status)`,
  listOrders: ({ query }) => `const page = await petstore.orders.list(${listOptions(query)})
for (const order of page.items) console.log(order.id, order.status)`,
  getOrder: (call) => `const order = await petstore.orders.get(${idOf(call)})
console.log(order.id, order.status)`,
  completeOrder: (call) => `const order = await petstore.orders.complete(${idOf(call)})
console.log(order.id, order.status)`,
  cancelOrder: (call) => `const order = await petstore.orders.cancel(${idOf(call)})
console.log(order.id, order.status)`,
  correctPet: (call) => `const pet = await petstore.correctPet(${idOf(call)}, ${created(call)})
console.log(pet.name, pet.status)`,
  getInventory: () => `const { available, total } = await petstore.getInventory()
console.log(available, total)`,
  removePet: (call) => `await petstore.removePet(${idOf(call)})`,
  replaceCategory: (call) => `const category = await petstore.categories.replace(${idOf(call)}, ${created(call)})
console.log(category.id, category.name)`,
  listCategories: ({ query }) => `const page = await petstore.categories.list(${listOptions(query)})
for (const category of page.items) console.log(category.id, category.name)`,
  getCategory: (call) => `const category = await petstore.categories.get(${idOf(call)})
console.log(category.id, category.name)`,
  removeCategory: (call) => `await petstore.categories.remove(${idOf(call)})`,
} satisfies Record<OperationName, MakeCall>

/** The operations in the order of their samples. */
export const sampleOrder = Object.keys(clientCalls)

const typeScript = ({ call, base, apiKey }: Sampled): string | undefined => {
  const made = clientCalls[call.operationId]?.(call)
  if (made === undefined) return undefined
  const before = (call.before ?? []).map((each) =>
    clientCalls[each.operationId]?.(each).replace(/^const \w+ = (.*)\nconsole\.log.*$/s, "$1\n"),
  )
  return `import { createClient } from "@petstore/client"

const petstore = createClient({
  baseUrl: ${JSON.stringify(base)},
  apiKey: ${apiKey === "" ? `process.env.${variable} ?? ""` : JSON.stringify(apiKey)},
})

${before.join("")}${made}`
}

const python = ({ call, ...rest }: Sampled): string => {
  const responses = allOf(call).map((each) => pythonAnswer({ call: each, ...rest }))
  return `${rest.apiKey === "" ? "import os\n\n" : ""}import requests

${responses.join("\n")}
print(${call.method === "DELETE" ? "response.status_code" : "response.json()"})`
}

const pythonAnswer = ({ call, base, apiKey }: Sampled): string => {
  const credential = apiKey === "" ? `f"Bearer {os.environ['${variable}']}"` : JSON.stringify(`Bearer ${apiKey}`)
  const headers = [
    `"Authorization": ${credential}`,
    ...call.headers.map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`),
  ]
  const body = call.body === undefined ? undefined : respelled(call.body, asPython)?.replaceAll("\n", "\n    ")
  const lines = [
    `${JSON.stringify(base + targetOf(call))},`,
    headers.length === 1 ? `headers={${headers[0]}},` : `headers={\n        ${headers.join(",\n        ")},\n    },`,
    ...(call.body === undefined ? [] : [body === undefined ? "# The body is not JSON yet." : `json=${body},`]),
    "timeout=30,",
  ]
  return `response = requests.${call.method.toLowerCase()}(
    ${lines.join("\n    ")}
)
if not response.ok:
    raise SystemExit(response.text)`
}

/** Returns the samples for a call, in the order of their tabs. */
export const samplesOf = (sampled: Sampled): ReadonlyArray<{ readonly language: Language; readonly source: string }> =>
  (
    [
      ["curl", curl(sampled)],
      ["TypeScript", typeScript(sampled)],
      ["Python", python(sampled)],
    ] as const
  ).flatMap(([language, source]) => (source === undefined ? [] : [{ language, source }]))
