/** The section with every error code, its remedy, and an example. Each code has the anchor `#error-<code>`. */
import { stringifyExactJson } from "@petstore/core/exact-json"
import type { Example, OpenApiDocument } from "./contract.ts"
import { highlightJson } from "./highlight.ts"
import { type Html, html } from "./html.ts"
import { inline } from "./prose.ts"
import { referencesOf } from "./references.ts"

const statusOf = ({ value }: Example): number => Number(Object(value).status)

const errorEntry = (code: string, example: Example): Html => html`
<article class="error card" id="error-${code}" aria-labelledby="error-${code}-title">
  <h3 id="error-${code}-title"><a class="anchor" href="#error-${code}"><code>${code}</code></a> <span class="status ${statusOf(example) < 500 ? "bad" : "broken"}">${statusOf(example)}</span></h3>
  <p>${inline(example.summary)}</p>
  <p class="remedy" data-remedy>${inline(example.description ?? "")}</p>
  <pre><code>${highlightJson(stringifyExactJson(example.value))}</code></pre>
</article>`

export const errorSection = (document: OpenApiDocument): Html => {
  const { example } = referencesOf(document)
  const entries = Object.entries(document["x-error-codes"]).map(([code, value]) => ({ code, example: example(value) }))
  return html`
<section id="errors" aria-labelledby="errors-title"><details class="fold" data-fold open>
  <summary><h2 id="errors-title">Errors</h2></summary>
  <p class="lead">Every failure is an <a href="#schema-Error">Error object</a> with exactly three members. Base decisions on <code>code</code>: the list is closed. <code>message</code> says which value was wrong, what was expected and what was received. Its wording may change.</p>
  <div class="errors">${entries.map((entry) => errorEntry(entry.code, entry.example))}</div>
</details></section>`
}
