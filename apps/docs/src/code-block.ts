/** Blocks of code with a title and, in the browser, a button that copies them. */
import type { Call } from "./call.ts"
import { highlightCode, highlightJson } from "./highlight.ts"
import { type Html, html, type Part } from "./html.ts"
import { samplesOf } from "./samples.ts"

/** A region that scrolls must be reachable by keyboard: hence the tab stop and the name. */
const block = (title: Part, name: string, code: Html, attributes: Html = html``): Html => html`
<div class="code"${attributes}>
  <div class="code-title">${title}<button class="copy" type="button" data-copy>Copy<span class="hidden"> ${name}</span></button></div>
  <pre tabindex="0" role="region" aria-label="${name}"><code>${code}</code></pre>
</div>`

export const jsonBlock = (title: Part, name: string, text: string): Html => block(title, name, highlightJson(text))

/** Commands to type. */
export const terminalBlock = (name: string, source: string): Html =>
  block("Terminal", `${name}: Terminal`, highlightCode("Terminal", source))

/** The same call in several languages: one after the other, or as tabs if scripts run, which update them with the input. */
export const samplesBlock = (call: Call, name: string, base: string): Html => html`
<div class="samples" data-tabs="${name}" data-samples="${call.operationId}">${samplesOf({ call, base, apiKey: "" }).map(
  ({ language, source }) =>
    block(language, `${name}: ${language}`, highlightCode(language, source), html` data-tab="${language}"`),
)}</div>`
