/** One operation on the docs page: its purpose, parameters, responses, sample code, and a form to try it. */

import {
  type DescribedResponse,
  getPetDeprecation,
  type Method,
  nameOf,
  type OpenApiDocument,
  type Operation,
  operationsOf,
  type Parameter,
  type PlacedOperation,
  resolved,
} from "@petstore/core/contract"
import { stringifyExactJson } from "@petstore/core/exact-json"
import { exampleAnswer, exampleCall } from "./call.ts"
import { jsonBlock, samplesBlock } from "./code-block.ts"
import { type Html, html, type Part } from "./html.ts"
import { day, inline, prose } from "./prose.ts"
import { fieldRow, foldedSection, membersOf } from "./reference.ts"
import { tryIt } from "./try-it-form.ts"

const deprecatedSince = new Date(Number(getPetDeprecation.deprecation.slice(1)) * 1000)

const deprecationNotice = ({ "x-sunset": sunset }: Operation): Html => html`
<div class="notice warning">
  <p><strong>Deprecated</strong> since <time datetime="${deprecatedSince.toISOString().slice(0, 10)}">${day(deprecatedSince)}</time>.
  It will be removed on <time datetime="${sunset ?? ""}">${day(new Date(sunset ?? ""))}</time>.
  Use <a href="#listPets"><code>GET /pets</code></a> with the parameter <code>id</code> instead.</p>
</div>`

const boundsOf = ({ schema }: Parameter): string => {
  const { minimum, maximum, default: fallback } = schema
  const range = minimum === undefined ? "" : `${minimum} to ${maximum}`
  return [range, fallback === undefined ? "" : `default ${fallback}`].filter((text) => text !== "").join(", ")
}

const titles = { path: "Path", query: "Query", header: "Headers" }

const parametersOf = ({ document, operation, parameters }: PlacedOperation): ReadonlyArray<Part> =>
  Object.entries(titles).map(([place, title]) => {
    const rows = parameters.filter((each) => each.in === place)
    if (rows.length === 0) return ""
    return html`<h4>${title}</h4><dl class="fields">${rows.map((row) => fieldRow(document, operation.operationId, row, boundsOf(row)))}</dl>`
  })

const bodyOf = ({ document, operation: { operationId, requestBody } }: PlacedOperation): Html => {
  if (requestBody === undefined) return html``
  const name = nameOf(requestBody.content["application/json"].schema)
  return html`<h4>Body</h4>
<p>${inline(requestBody.description)} Its shape is <a href="#schema-${name}">${name}</a>.</p>
${membersOf(document, document.components.schemas[name] ?? {}, `${operationId}-body`)}`
}

const kindOf = (status: string): string => (Number(status) < 400 ? "good" : Number(status) < 500 ? "bad" : "broken")

/** The page does not repeat the headers of every response. */
const responseRow = (document: OpenApiDocument, status: string, response: DescribedResponse): Html => {
  const { description, content, headers = {} } = response
  const media = content?.["application/json"]
  const isError = Number(status) >= 400
  const shown = Object.entries(headers).filter(
    ([, reference]) => resolved(reference, document.components.headers)["x-on-every-response"] === undefined,
  )
  return html`
<details class="response-row">
<summary><span class="status ${kindOf(status)}">${status}</span> <span>${description}</span></summary>
<div class="response-detail">
${isError ? html`<p>Codes: ${listOf(Object.keys(media?.examples ?? {}).map((code) => link(`error-${code}`, code)))}.</p>` : ""}
${!isError ? html`<p>${media === undefined ? "No body." : html`Body: ${link(`schema-${nameOf(media.schema)}`, nameOf(media.schema))}.`}</p>` : ""}
${shown.length > 0 ? html`<p>Headers: ${listOf(shown.map(([name, reference]) => link(`header-${nameOf(reference)}`, name)))}.</p>` : ""}
</div>
</details>`
}

/** The responses that almost every operation shares, in the order of their statuses: the page shows each of them once. */
const commonIn = (document: OpenApiDocument) => {
  const operations = operationsOf(document)
  const shared = operations.flatMap(({ operation, responses }) =>
    Object.entries(operation.responses).flatMap(([status, given]) => {
      const response = responses[status]
      return "$ref" in given && response !== undefined ? [{ status, reference: given.$ref, response }] : []
    }),
  )
  return [...Map.groupBy(shared, ({ reference }) => reference).values()]
    .flatMap((uses) => (uses.length > 0.9 * operations.length ? uses.slice(0, 1) : []))
    .toSorted((a, b) => Number(a.status) - Number(b.status))
}

/** The responses that almost every operation shares. */
export const responseSection = (document: OpenApiDocument): Html =>
  foldedSection(
    "responses",
    "Responses of most operations",
    html`<p class="lead">The operations name these responses by their statuses only.</p>
  <div class="responses">${commonIn(document).map(({ status, response }) => responseRow(document, status, response))}</div>`,
  )

/** The responses of an operation: its own as rows, and the statuses of those that it shares with almost every other. */
const responsesOf = ({ document, operation, responses }: PlacedOperation): Html => {
  const common = commonIn(document).filter(({ status, reference }) => {
    const given = operation.responses[status]
    return given !== undefined && "$ref" in given && given.$ref === reference
  })
  const statuses = common.map(({ status }) => status)
  const own = Object.entries(responses).filter(([status]) => !statuses.includes(status))
  return html`
      <p class="note">Also <a href="#responses">those of most operations</a>: ${statuses.join(", ")}. Most have <a href="#headers">headers</a> that are not repeated here.</p>
      <div class="responses">${own.map(([status, response]) => responseRow(document, status, response))}</div>`
}

const link = (anchor: string, text: string): Html => html`<a href="#${anchor}"><code>${text}</code></a>`

const listOf = (parts: ReadonlyArray<Html>): Html => html`${parts.map((part, index) => html`${index === 0 ? "" : ", "}${part}`)}`

const responseBlock = (placed: PlacedOperation): Html => {
  const response = exampleAnswer(placed)
  if (response === undefined) return html``
  const title = html`Response <span class="status good">${response.status}</span>`
  return jsonBlock(title, `${placed.operation.operationId}: example response`, stringifyExactJson(response.value))
}

export const methodBadge = (method: Method): Html => html`<span class="method ${method}">${method.toUpperCase()}</span>`

/** Builds the entire section. Its anchor is the operation's id. */
export const operationSection = (shown: PlacedOperation): Html => {
  const { path, method, operation } = shown
  const stability = operation["x-stability"]
  const call = exampleCall(shown)
  return html`
<section class="operation" id="${operation.operationId}" aria-labelledby="${operation.operationId}-title"><details class="fold" data-fold open>
  <summary>
      <h3 id="${operation.operationId}-title">${operation.summary}
        ${operation.deprecated === true ? html`<span class="pill deprecated">deprecated</span>` : ""}
        ${stability === "experimental" ? html`<span class="pill experimental">experimental</span>` : ""}
      </h3>
      <p class="endpoint">${methodBadge(method)} <code>${path}</code></p>
  </summary>
  <div class="columns">
    <div class="explained">
      ${operation.deprecated === true ? deprecationNotice(operation) : ""}
      ${prose(operation.description)}
      ${parametersOf(shown)}
      ${bodyOf(shown)}
    </div>
    <div class="shown">
      ${samplesBlock(call, operation.operationId)}
      ${responseBlock(shown)}
      ${tryIt(shown, call)}
    </div>
    <div class="answered">
      <h4>Responses</h4>
      ${responsesOf(shown)}
    </div>
  </div>
</details></section>`
}
