/** Describes a schema's type in a word or two, for the docs page. */
import type { JsonSchema } from "@petstore/core/contract"
import type { OpenApiDocument } from "./contract.ts"
import { type Html, html } from "./html.ts"

const text = (value: unknown): string => (typeof value === "string" ? value : "")

/** Returns the name at the end of a schema's reference, or `""` if it has no reference. */
export const referred = (schema: JsonSchema): string => text(schema["$ref"]).split("/").at(-1) ?? ""

export const typeOf = (schema: JsonSchema, document: OpenApiDocument): Html => {
  const name = referred(schema)
  if (name !== "") {
    const values = document.components.schemas[name]?.["enum"]
    return Array.isArray(values) && values.length <= 3
      ? html`${values.map((value, index) => html`${index === 0 ? "" : " | "}<code>${text(value)}</code>`)}`
      : html`<a href="#schema-${name}">${name}</a>`
  }
  const { type, format, items } = schema
  if (type === "array") return html`array of ${typeOf(Object(items), document)}`
  return html`${text(type) || "any"}${format === undefined ? "" : html`, ${text(format)}`}`
}
