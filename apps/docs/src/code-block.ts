/** Blocks of code with a title. If scripts run, they add a button that copies the code. */
import type { Call } from "./call.ts"
import { type CodeLanguage, highlightCode, highlightJson } from "./highlight.ts"
import { type Html, html, type Part } from "./html.ts"
import { samplesOf } from "./samples.ts"

/** A scrollable region must be reachable by keyboard, so the code has a tab stop and a name. */
const block = (title: Part, name: string, code: Html, attributes: Html = html``): Html => html`
<div class="code"${attributes}>
  <div class="code-title">${title}</div>
  <pre tabindex="0" role="region" aria-label="${name}"><code>${code}</code></pre>
</div>`

export const jsonBlock = (title: Part, name: string, text: string): Html => block(title, name, highlightJson(text))

export const codeBlock = (name: string, language: CodeLanguage, source: string): Html =>
  block(language, `${name}: ${language}`, highlightCode(language, source))

export const terminalBlock = (name: string, source: string): Html => codeBlock(name, "Terminal", source)

/** The placeholder address in code samples, until the service or the browser replaces it. */
export const placeholderBase = "{{base}}"

/** The same call in several languages. If scripts run, they show the samples as tabs and update them with the input. */
export const samplesBlock = (call: Call, name: string): Html => html`
<div class="samples" data-tabs="${name}" data-samples="${call.operationId}">${samplesOf({
  call,
  base: placeholderBase,
  apiKey: "",
}).map(({ language, source }) =>
  block(language, `${name}: ${language}`, highlightCode(language, source), html` data-tab="${language}"`),
)}</div>`
