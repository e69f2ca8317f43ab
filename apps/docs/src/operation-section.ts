/** One operation on the docs page: its purpose, parameters, responses, sample code, and a form to try it. */

import {
  type DescribedResponse,
  getPetDeprecation,
  type Method,
  nameOf,
  type Operation,
  type Parameter,
  type PlacedOperation,
} from "@petstore/core/contract"
import { stringifyExactJson } from "@petstore/core/exact-json"
import { exampleAnswer, exampleCall } from "./call.ts"
import { jsonBlock, samplesBlock } from "./code-block.ts"
import { type Html, html, type Part } from "./html.ts"
import { day, inline, prose } from "./prose.ts"
import { fieldRow, membersOf } from "./reference.ts"
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

/** The headers that most responses have. The page does not repeat them for each response. */
const everywhere = new Set(["RequestId", "TraceParent", "RateLimit", "RateLimitPolicy"])

const responseRow = (status: string, { description, content, headers }: DescribedResponse): Html => {
  const media = content?.["application/json"]
  const isError = Number(status) >= 400
  const shown = Object.entries(headers).filter(([, reference]) => !everywhere.has(nameOf(reference)))
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

const link = (anchor: string, text: string): Html => html`<a href="#${anchor}"><code>${text}</code></a>`

const listOf = (parts: ReadonlyArray<Html>): Html => html`${parts.map((part, index) => html`${index === 0 ? "" : ", "}${part}`)}`

const responseBlock = (placed: PlacedOperation): Html => {
  const response = exampleAnswer(placed)
  if (response === undefined) return html``
  const title = html`DescribedResponse <span class="status good">${response.status}</span>`
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
      <p class="note">The <a href="#headers">headers that most responses have</a> are not repeated here.</p>
      <div class="responses">${Object.entries(shown.responses).map(([status, response]) => responseRow(status, response))}</div>
    </div>
  </div>
</details></section>`
}
