/** Checks that the contract documents every response, and that every documented response has occurred. */
import {
  type DescribedResponse,
  type Header,
  nameOf,
  type OpenApiDocument,
  operationsOf,
  type PlacedOperation,
  type Reference,
} from "@petstore/core/contract"
import { Ajv2020 } from "ajv/dist/2020.js"

/** An exchange as sent over the wire. */
export interface Observed {
  readonly method: string
  /** The request target, as sent. */
  readonly target: string
  readonly status: number
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly text: string
}

/** Headers that any response may have, and that the contract does not document. */
const framing = new Set(["date", "connection", "keep-alive", "content-length", "content-type", "transfer-encoding"])

/** Whether a header is `Vary` or a CORS header of the Fetch standard. No operation documents these. */
const isCors = (name: string): boolean => name === "vary" || name.startsWith("access-control-")

/** The headers that a response may have if its request reaches no operation. */
const outside = new Set([
  "x-request-id",
  "traceparent",
  "allow",
  "accept-patch",
  "www-authenticate",
  "ratelimit",
  "ratelimit-policy",
  "retry-after",
])

/** A request target under the base path, in origin form or absolute form. */
const underBase = /^(?:https?:\/\/[^/]*)?\/v1(|\/[^?]*)(?:\?|$)/

const checkEmptyBody = ({ text }: Pick<Observed, "text">): ReadonlyArray<string> =>
  text === "" ? [] : ["a body where there should be none"]

interface Match {
  readonly placed: PlacedOperation
  readonly isHead: boolean
}

/** A validator with a contract's schemas: `getSchema("contract#/components/schemas/Pet")`. */
export const schemasOf = (json: object): Ajv2020 => {
  const int64 = { type: "number" as const, validate: (value: number) => Number.isInteger(value) && Math.abs(value) <= 2 ** 63 }
  const ajv = new Ajv2020({ strict: false, formats: { int64, "date-time": /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/ } })
  ajv.addSchema(json, "contract")
  return ajv
}

export class ContractChecker {
  readonly #document: OpenApiDocument
  readonly #operations: ReadonlyArray<PlacedOperation>
  readonly #ajv: Ajv2020
  /** The headers of every response, which responses do not repeat. */
  readonly #everywhere: Readonly<Record<string, Reference>>
  readonly #reached = new Set<string>()

  /**
   * @param document  the contract
   * @param json      the same document, as parsed by a JSON parser without 64-bit integers
   */
  constructor(document: OpenApiDocument, json: object) {
    this.#document = document
    this.#operations = operationsOf(document)
    this.#ajv = schemasOf(json)
    this.#everywhere = Object.fromEntries(
      Object.entries(document.components.headers).flatMap(([component, { "x-on-every-response": name }]) =>
        name === undefined ? [] : [[name, { $ref: `#/components/headers/${component}` }]],
      ),
    )
  }

  /** Returns how an exchange differs from the contract. The contract does not describe successes outside the base path. */
  take(observed: Observed): ReadonlyArray<string> {
    const [, path] = underBase.exec(observed.target) ?? []
    const match = path === undefined ? undefined : this.#match(observed.method, path)
    const problems = match === undefined ? this.#checkOutside(observed) : this.#check(match, observed)
    const what = `${observed.method} ${observed.target.slice(0, 80)} ${observed.status}`
    return problems.map((problem) => `${what}: ${problem}`)
  }

  /** Everything that the contract documents and that no exchange contained. */
  unreached(): ReadonlyArray<string> {
    const documented = this.#operations.flatMap(({ operation: { operationId }, responses }) =>
      Object.entries(responses).flatMap(([status, { headers = {}, content }]) => [
        `${operationId} ${status}`,
        ...(Number(status) < 400 ? [] : Object.keys(content?.["application/json"].examples ?? {})).map(
          (code) => `${operationId} ${status} ${code}`,
        ),
        // A header must occur at least once with each of its statuses, in any operation.
        ...Object.keys(headers).map((name) => `${status} ${name}`),
      ]),
    )
    return [...new Set(documented)].filter((what) => !this.#reached.has(what))
  }

  #match(method: string, path: string): Match | undefined {
    const isHead = method === "HEAD"
    const name = isHead ? "get" : method.toLowerCase()
    if (method !== method.toUpperCase()) return undefined
    const placed = this.#operations.find(
      (each) => each.method === name && new RegExp(`^${each.path.replace(/\{\w+\}/g, "[^/]+")}$`).test(path),
    )
    return placed && { placed, isHead }
  }

  #check({ placed, isHead }: Match, observed: Observed): ReadonlyArray<string> {
    const { operationId } = placed.operation
    const response = placed.responses[observed.status]
    if (response === undefined) return [`${operationId} does not document this status: ${observed.text.slice(0, 200)}`]
    const { content } = response
    const headers = { ...this.#everywhere, ...response.headers }
    this.#reached.add(`${operationId} ${observed.status}`)
    const body =
      isHead || content === undefined
        ? checkEmptyBody(observed)
        : this.#checkBody(operationId, observed, content["application/json"])
    return [...this.#checkHeaders(observed, headers), ...body]
  }

  #checkHeaders({ status, headers }: Observed, documented: Readonly<Record<string, Reference>>): ReadonlyArray<string> {
    const came = new Map(headers.map(([name, value]) => [name.toLowerCase(), value]))
    const known = new Set(Object.keys(documented).map((name) => name.toLowerCase()))
    const undocumented = [...came.keys()].filter((name) => !known.has(name) && !framing.has(name) && !isCors(name))
    return [
      ...undocumented.map((name) => `the header ${name} is not documented`),
      ...Object.entries(documented).flatMap(([name, reference]) => {
        const header: Header | undefined = this.#document.components.headers[nameOf(reference)]
        const value = came.get(name.toLowerCase())
        if (value === undefined) return header?.required === true ? [`the header ${name} is missing`] : []
        this.#reached.add(`${status} ${name}`)
        return this.#ajv.validate(header?.schema ?? false, value) ? [] : [`the header ${name} is ${JSON.stringify(value)}`]
      }),
    ]
  }

  #checkBody(
    operationId: string,
    { status, headers, text }: Observed,
    media: Exclude<DescribedResponse["content"], undefined>["application/json"],
  ): ReadonlyArray<string> {
    const type = headers.find(([name]) => name.toLowerCase() === "content-type")?.[1]
    if (type !== "application/json") return [`the content type is ${type}`]
    const body = JSON.parse(text)
    const validate = this.#ajv.getSchema(`contract#/components/schemas/${nameOf(media.schema)}`)
    if (validate?.(body) !== true) return [`the body is not ${nameOf(media.schema)}: ${text.slice(0, 200)}`]
    if (status < 400) return []
    this.#reached.add(`${operationId} ${status} ${body.code}`)
    return Object.hasOwn(media.examples, body.code) ? [] : [`the code ${body.code} is not documented`]
  }

  /** Checks a response to a request that reaches no operation. Its body must be an Error object, or empty for HEAD or OPTIONS. */
  #checkOutside({ method, target, status, headers, text }: Observed): ReadonlyArray<string> {
    if (!underBase.test(target) && status < 400) return []
    const surplus = headers
      .map(([name]) => name.toLowerCase())
      .filter((name) => !outside.has(name) && !framing.has(name) && !isCors(name))
      .map((name) => `the header ${name} is not documented`)
    if (method === "HEAD" || (method === "OPTIONS" && status === 204)) return [...surplus, ...checkEmptyBody({ text })]
    const isError = this.#ajv.getSchema("contract#/components/schemas/Error")?.(JSON.parse(text)) === true
    return isError ? surplus : [...surplus, `the body is not an Error: ${text.slice(0, 200)}`]
  }
}
