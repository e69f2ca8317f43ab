/** Blocks of code with a title and, in the browser, a button that copies them. */
import type { CodeSample } from "./contract.ts"
import { highlightCode, highlightJson } from "./highlight.ts"
import { type Html, html, type Part } from "./html.ts"

/** A region that scrolls must be reachable by keyboard: hence the tab stop and the name. */
const block = (title: Part, name: string, code: Html, attributes: Html = html``): Html => html`
<div class="code"${attributes}>
  <div class="code-title">${title}<button class="copy" type="button" data-copy>Copy<span class="hidden"> ${name}</span></button></div>
  <pre tabindex="0" role="region" aria-label="${name}"><code>${code}</code></pre>
</div>`

/** A JSON text. */
export const jsonBlock = (title: Part, name: string, text: string): Html => block(title, name, highlightJson(text))

/** One sample. */
export const sampleBlock = (sample: CodeSample, name: string, base: string): Html =>
  block(sample.label, `${name}: ${sample.label}`, highlightCode(sample, base))

/** The same call in several languages: one after the other, or as tabs where scripts run. */
export const samplesBlock = (samples: ReadonlyArray<CodeSample>, name: string, base: string): Html => html`
<div class="samples" data-tabs="${name}">${samples.map((sample) =>
  block(sample.label, `${name}: ${sample.label}`, highlightCode(sample, base), html` data-tab="${sample.label}"`),
)}</div>`
