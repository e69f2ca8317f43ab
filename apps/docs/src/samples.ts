/** Sample code for a call, in three languages. The build writes the code, and the browser rewrites it with the reader's input. */
import type { OperationName } from "@petstore/core/contract"
import { type Call, targetOf } from "./call.ts"
import { type CodeToken, type Language, layOutJson } from "./highlight.ts"

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

/** The calls that this call depends on, and the call itself. */
const eachOf = ({ call, ...rest }: Sampled): ReadonlyArray<Sampled> =>
  [...(call.before ?? []), call].map((each) => ({ call: each, ...rest }))

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
const respelled = (json: string, spell: (token: CodeToken) => string): string | undefined => layOutJson(json)?.map(spell).join("")

const asTypeScript = ({ kind, text }: CodeToken): string => {
  if (kind === "name") return identifier.exec(text)?.[1] ?? text
  return kind === "number" && /^-?\d+$/.test(text) ? `${text}n` : text
}

const pythonWords: Readonly<Record<string, string>> = { true: "True", false: "False", null: "None" }

const asPython = ({ kind, text }: CodeToken): string => {
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

/** A call of the client and, if it has a result, the result's name and the statement that prints the result. */
type MakeCall = (call: Call) => readonly [method: string, result?: string, print?: string]

const printed = (name: string, ...members: ReadonlyArray<string>) =>
  [name, `console.log(${members.map((member) => `${name}.${member}`).join(", ")})`] as const

const listed = (name: string, member: string) =>
  ["page", `for (const ${name} of page.items) console.log(${name}.id, ${name}.${member})`] as const

/** The client call for each operation, in the order of the page. On a new catalogue, the samples then get the responses shown. */
const clientCalls: Readonly<Record<string, MakeCall>> = {
  createPet: (call) => [`createPet(${created(call)})`, ...printed("pet", "id")],
  listPets: ({ query }) => [`listPets(${listOptions(query)})`, ...listed("pet", "name")],
  getPet: (call) => [`getPet(${idOf(call)})`, ...printed("pet", "name", "status")],
  correctPet: (call) => [`correctPet(${idOf(call)}, ${created(call)})`, ...printed("pet", "name", "status")],
  removePet: (call) => [`removePet(${idOf(call)})`],
  restorePet: (call) => [`restorePet(${idOf(call)})`, ...printed("pet", "name", "status")],
  createOrder: (call) => [`orders.create(${created(call)})`, ...printed("order", "id", "status")],
  listOrders: ({ query }) => [`orders.list(${listOptions(query)})`, ...listed("order", "status")],
  getOrder: (call) => [`orders.get(${idOf(call)})`, ...printed("order", "id", "status")],
  completeOrder: (call) => [`orders.complete(${idOf(call)})`, ...printed("order", "id", "status")],
  returnOrder: (call) => [`orders.return(${idOf(call)})`, ...printed("order", "id", "status")],
  changeOrder: (call) => [`orders.change(${idOf(call)}, ${created(call)})`, ...printed("order", "id", "note")],
  cancelOrder: (call) => [`orders.cancel(${idOf(call)})`, ...printed("order", "id", "status")],
  me: () => ["me()", ...printed("caller", "account.name", "key.id")],
  getInventory: () => ["getInventory()", "{ available, total }", "console.log(available, total)"],
  replaceCategory: (call) => [`categories.replace(${idOf(call)}, ${created(call)})`, ...printed("category", "id", "name")],
  listCategories: ({ query }) => [`categories.list(${listOptions(query)})`, ...listed("category", "name")],
  getCategory: (call) => [`categories.get(${idOf(call)})`, ...printed("category", "id", "name")],
  removeCategory: (call) => [`categories.remove(${idOf(call)})`],
  listChanges: ({ query }) => [`listChanges(${listOptions(query)})`, ...listed("change", "operation")],
} satisfies Record<OperationName, MakeCall>

/** The order of operations on the page: each sample runs after those before it. */
export const sampleOrder = Object.keys(clientCalls)

const typeScript = ({ call, base, apiKey }: Sampled): string | undefined => {
  const [method, result, print] = clientCalls[call.operationId]?.(call) ?? []
  if (method === undefined) return undefined
  const before = (call.before ?? []).map((each) => `await petstore.${clientCalls[each.operationId]?.(each)[0]}\n`)
  return `import { createClient } from "@petstore/client"

const petstore = createClient({
  baseUrl: ${JSON.stringify(base)},
  apiKey: ${apiKey === "" ? `process.env.${variable} ?? ""` : JSON.stringify(apiKey)},
})

${before.join("")}${result === undefined ? "" : `const { value: ${result} } = `}await petstore.${method}${print === undefined ? "" : `\n${print}`}`
}

const python = (sampled: Sampled): string => `${sampled.apiKey === "" ? "import os\n\n" : ""}import requests

${eachOf(sampled).map(pythonAnswer).join("\n")}
print(${sampled.call.method === "DELETE" ? "response.status_code" : "response.json()"})`

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
      ["curl", eachOf(sampled).map(curlOf).join("\n\n")],
      ["TypeScript", typeScript(sampled)],
      ["Python", python(sampled)],
    ] as const
  ).flatMap(([language, source]) => (source === undefined ? [] : [{ language, source }]))
