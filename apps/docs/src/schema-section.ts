import type { JsonSchema, Parameter } from "@petstore/core/contract"
import type { OpenApiDocument } from "./contract.ts"
import { type Html, html } from "./html.ts"
import { inline } from "./prose.ts"
import { typeOf } from "./schema-type.ts"

/** A parameter, or a member of a schema. */
export const fieldRow = (
  document: OpenApiDocument,
  anchor: string,
  { name, schema, required, description }: Pick<Parameter, "name" | "schema" | "required" | "description">,
  bounds = "",
): Html => html`
<div class="field" id="${anchor}-${name}">
  <dt><code class="field-name">${name}</code> <span class="field-type">${typeOf(schema, document)}</span> ${required ? html`<span class="required">required</span>` : ""}</dt>
  <dd>${inline(description)}${bounds === "" ? "" : html` <span class="bounds">${bounds}</span>`}</dd>
</div>`

/** The members of an object schema. Every member has the anchor `<anchor>-<name>`. */
export const membersOf = (document: OpenApiDocument, schema: JsonSchema, anchor: string): Html => {
  const required: ReadonlyArray<unknown> = Array.isArray(schema["required"]) ? schema["required"] : []
  const members = Object.entries<JsonSchema>(Object(schema["properties"]))
  return html`<dl class="fields">${members.map(([name, schema]) =>
    fieldRow(document, anchor, {
      name,
      schema,
      required: required.includes(name),
      description: String(schema["description"] ?? ""),
    }),
  )}</dl>`
}

const shapeOf = (document: OpenApiDocument, name: string, schema: JsonSchema): Html => {
  if (schema["type"] === "object") return membersOf(document, schema, `schema-${name}`)
  if (Array.isArray(schema["enum"])) return html`<p>${schema["enum"].map((value) => html`<code>${String(value)}</code> `)}</p>`
  return html`<p>${typeOf(schema, document)}</p>`
}

export const schemaSection = (document: OpenApiDocument): Html => html`
<section id="schemas" aria-labelledby="schemas-title"><details class="fold" data-fold open>
  <summary><h2 id="schemas-title">Schemas</h2></summary>
  <p class="lead">The shapes of request and response bodies. Programs can read them in <a href="/openapi.json">openapi.json</a>.</p>
  <div class="schemas">${Object.entries(document.components.schemas).map(
    ([name, schema]) => html`
    <article class="schema card" id="schema-${name}" aria-labelledby="schema-${name}-title">
      <h3 id="schema-${name}-title"><a class="anchor" href="#schema-${name}"><code>${name}</code></a></h3>
      <p>${inline(String(schema["description"] ?? ""))}</p>
      ${shapeOf(document, name, schema)}
    </article>`,
  )}</div>
</details></section>`
