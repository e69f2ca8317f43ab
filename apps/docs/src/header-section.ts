/** The section that explains each response header once. Each header has the anchor `#header-<component name>`. */
import type { OpenApiDocument, Operation } from "./contract.ts"
import { type Html, html } from "./html.ts"
import { inline } from "./prose.ts"
import { referencesOf } from "./references.ts"

/** Returns the header name of each header component. Two components describe `Link`. */
const wireNames = (document: OpenApiDocument): ReadonlyMap<string, string> => {
  const operations: ReadonlyArray<Operation> = Object.values(document.paths).flatMap((item) => Object.values(item))
  const { nameOf } = referencesOf(document)
  return new Map(
    operations
      .flatMap(({ responses }) => Object.values(responses))
      .flatMap(({ headers }) => Object.entries(headers).map(([name, reference]) => [nameOf(reference), name] as const)),
  )
}

export const headerSection = (document: OpenApiDocument): Html => {
  const names = wireNames(document)
  return html`
<section id="headers" aria-labelledby="headers-title"><details class="fold" data-fold open>
  <summary><h2 id="headers-title">Response headers</h2></summary>
  <dl class="fields">${Object.entries(document.components.headers).map(
    ([component, { description, example }]) => html`
    <div class="field" id="header-${component}"><dt><code class="field-name">${names.get(component) ?? component}</code></dt><dd>${inline(description)} <code class="example">${example}</code></dd></div>`,
  )}</dl>
</details></section>`
}
