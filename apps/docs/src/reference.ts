/** The reference at the end of the docs page: errors, response headers and schemas, each with an anchor of its own. */
import type { Example, JsonSchema, Parameter } from "@petstore/core/contract"
import { nameOf, type OpenApiDocument, operationsOf } from "@petstore/core/contract"
import { stringifyExactJson } from "@petstore/core/exact-json"
import { highlightJson } from "./highlight.ts"
import { type Html, html } from "./html.ts"
import { inline } from "./prose.ts"

export const foldedSection = (id: string, title: string, content: Html): Html => html`
<section id="${id}" aria-labelledby="${id}-title"><details class="fold" data-fold open>
  <summary><h2 id="${id}-title">${title}</h2></summary>
  ${content}
</details></section>`

export const errorSection = (document: OpenApiDocument): Html => {
  const examples = { ...document.components.examples, ...document["x-other-errors"] }
  const statusOf = ({ value }: Example): number => Number(Object(value).status)
  const sorted = Object.entries(examples).toSorted(([, a], [, b]) => statusOf(a) - statusOf(b))
  const entries = sorted.map(([code, example]) => {
    const { summary, description = "", value } = example
    const status = statusOf(example)
    return html`
    <article class="error card" id="error-${code}" aria-labelledby="error-${code}-title">
      <h3 id="error-${code}-title"><a class="anchor" href="#error-${code}"><code>${code}</code></a> <span class="status ${status < 500 ? "bad" : "broken"}">${status}</span></h3>
      <p>${inline(summary)}</p>
      <p class="remedy" data-remedy>${inline(description)}</p>
      <pre><code>${highlightJson(stringifyExactJson(value))}</code></pre>
    </article>`
  })
  const content = html`<p class="lead">Every failure is an <a href="#schema-Error">Error object</a> with exactly three members. Base decisions on <code>code</code>: the list is closed. <code>message</code> says which value was wrong, what was expected and what was received. Its wording may change.</p>
  <div class="errors">${entries}</div>`
  return foldedSection("errors", "Errors", content)
}

/** Every response header, once. Its anchor has the name of its component, because two components describe `Link`. */
export const headerSection = (document: OpenApiDocument): Html => {
  const responses = operationsOf(document).flatMap((placed) => Object.values(placed.responses))
  const names = new Map(
    responses.flatMap(({ headers = {} }) =>
      Object.entries(headers).map(([name, reference]) => [nameOf(reference), name] as const),
    ),
  )
  const rows = Object.entries(document.components.headers).map(
    ([component, { description, example, ...header }]) => html`
    <div class="field" id="header-${component}"><dt><code class="field-name">${names.get(component) ?? component}</code></dt><dd>${header["x-on-every-response"] === undefined ? "" : "On every response. "}${inline(description)} <code class="example">${example}</code></dd></div>`,
  )
  return foldedSection("headers", "Response headers", html`<dl class="fields">${rows}</dl>`)
}

const text = (value: unknown): string => (typeof value === "string" ? value : "")

/** Returns the name at the end of a schema's reference, or `""` if it has no reference. */
const referred = (schema: JsonSchema): string => text(schema["$ref"]).split("/").at(-1) ?? ""

/** The values of an enumeration, its own or that of the schema it refers to. Empty if it is not an enumeration. */
export const choicesOf = (schema: JsonSchema, document: OpenApiDocument): ReadonlyArray<string> => {
  const values: unknown = (document.components.schemas[referred(schema)] ?? schema)["enum"]
  return Array.isArray(values) ? values.map(String) : []
}

const typeOf = (schema: JsonSchema, document: OpenApiDocument): Html => {
  const values = choicesOf(schema, document)
  if (values.length > 0 && values.length <= 3) {
    return html`${values.map((value, index) => html`${index === 0 ? "" : " | "}<code>${value}</code>`)}`
  }
  const name = referred(schema)
  if (name !== "") return html`<a href="#schema-${name}">${name}</a>`
  const { type, format, items } = schema
  if (type === "array") return html`array of ${typeOf(Object(items), document)}`
  return html`${text(type) || "any"}${format === undefined ? "" : html`, ${text(format)}`}`
}

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
  const rows = Object.entries<JsonSchema>(Object(schema["properties"])).map(([name, member]) => {
    const description = text(member["description"])
    return fieldRow(document, anchor, { name, schema: member, required: required.includes(name), description })
  })
  return html`<dl class="fields">${rows}</dl>`
}

const shapeOf = (document: OpenApiDocument, name: string, schema: JsonSchema): Html => {
  if (schema["type"] === "object") return membersOf(document, schema, `schema-${name}`)
  const values = choicesOf(schema, document)
  if (values.length > 0) return html`<p>${values.map((value) => html`<code>${value}</code> `)}</p>`
  return html`<p>${typeOf(schema, document)}</p>`
}

export const schemaSection = (document: OpenApiDocument): Html => {
  const entries = Object.entries(document.components.schemas).map(
    ([name, schema]) => html`
    <article class="schema card" id="schema-${name}" aria-labelledby="schema-${name}-title">
      <h3 id="schema-${name}-title"><a class="anchor" href="#schema-${name}"><code>${name}</code></a></h3>
      <p>${inline(text(schema["description"]))}</p>
      ${shapeOf(document, name, schema)}
    </article>`,
  )
  const content = html`<p class="lead">The shapes of request and response bodies. Programs can read them in <a href="openapi.json">openapi.json</a>.</p>
  <div class="schemas">${entries}</div>`
  return foldedSection("schemas", "Schemas", content)
}
