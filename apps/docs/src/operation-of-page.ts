import type { Method, OpenApiDocument, Operation } from "./contract.ts"
import { type Html, html } from "./html.ts"

export interface OperationOfPage {
  readonly document: OpenApiDocument
  /** The base address that code samples show until the page determines its own. */
  readonly base: string
  readonly path: string
  readonly method: Method
  readonly operation: Operation
}

export const methodBadge = (method: Method): Html => html`<span class="method ${method}">${method.toUpperCase()}</span>`
