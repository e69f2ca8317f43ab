/** The form that sends a real request. It needs the scripts in `browser/`, and is hidden if scripts do not run. */

import type { Parameter, PlacedOperation } from "@petstore/core/contract"
import { type Call, exampleBody } from "./call.ts"
import { type Html, html } from "./html.ts"
import { choicesOf } from "./reference.ts"

const field = ({ document, operation }: PlacedOperation, call: Call, parameter: Parameter): Html => {
  const { name, in: place, schema, required } = parameter
  const [, given] = [...call.inPath, ...call.query].find(([shown]) => shown === name) ?? []
  const id = `try-${operation.operationId}-${name}`
  // The samples show this value until the reader types one: see `browser/samples.ts`.
  const example = given === undefined ? "" : html` data-example="${given}"`
  const attributes = html`id="${id}" name="${name}" data-in="${place}"${example}`
  const choices = choicesOf(schema, document)
  const isNumber = schema["type"] === "integer"
  const control =
    choices.length > 0
      ? html`<select ${attributes}><option value="">any</option>${choices.map((value) => html`<option>${value}</option>`)}</select>`
      : html`<input ${attributes}${required ? html` required` : ""} placeholder="${required ? (given ?? "") : ""}" autocomplete="off" spellcheck="false"${isNumber ? html` inputmode="numeric"` : ""}>`
  return html`
<div class="try-field">
  <label for="${id}">${name}${required ? html` <span class="required">required</span>` : ""}</label>
  ${control}
</div>`
}

const bodyField = ({ operation }: PlacedOperation): Html => {
  const example = exampleBody(operation)
  if (example === undefined) return html``
  const id = `try-${operation.operationId}-body`
  return html`
<div class="try-field wide">
  <label for="${id}">Body</label>
  <textarea id="${id}" data-in="body" rows="6" spellcheck="false" autocomplete="off">${example}</textarea>
</div>`
}

export const keyNote =
  "The key stays in this tab and is sent only to this service. A reload forgets it, unless you keep it for this tab."

export const tryIt = (shown: PlacedOperation, call: Call): Html => {
  const { method, path, operation, parameters } = shown
  const id = operation.operationId
  const before = call.before === undefined ? "" : html` data-before="${JSON.stringify(call.before)}"`
  const headers = parameters.filter((parameter) => parameter.in === "header")
  return html`
<details class="try card" data-try>
  <summary><span class="try-title">Try it</span> <span class="try-hint">send a real request from this page</span></summary>
  <form data-method="${method.toUpperCase()}" data-path="${path}" data-operation="${id}"${before} novalidate>
    <div class="try-fields">
      <div class="try-field wide">
        <label for="try-${id}-key">API key</label>
        <input id="try-${id}-key" type="text" class="masked" data-key autocomplete="off" spellcheck="false" placeholder="pst_…" aria-describedby="try-${id}-key-note">
        <p class="note" id="try-${id}-key-note">${keyNote}</p>
      </div>
      ${parameters.filter((parameter) => parameter.in !== "header").map((parameter) => field(shown, call, parameter))}
      ${bodyField(shown)}
    </div>
    <details class="more"><summary>Headers</summary><div class="try-fields">${headers.map((parameter) => field(shown, call, parameter))}</div></details>
    <div class="try-send">
      <button class="primary" type="submit">Send</button>
      <code class="try-request" data-request></code>
    </div>
    <div class="try-response" data-response></div>
  </form>
</details>`
}

/** What a form shows below itself after a request. The scripts give each form a copy. */
export const responseTemplate = html`
<template data-response-template>
<div class="outcome" role="status">
  <p class="try-status" data-status></p>
  <p class="try-advice" data-advice hidden></p>
</div>
<details class="more" data-headers-box hidden><summary>Response headers</summary><dl class="headers" data-headers></dl></details>
<div class="code" data-body-box hidden>
  <div class="code-title">Body, exactly as received</div>
  <pre tabindex="0" role="region"><code data-body></code></pre>
</div>
<button class="secondary" type="button" data-next hidden>Next page</button>
</template>`
