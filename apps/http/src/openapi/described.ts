/** What the contract needs to know of an operation. */
import type { Operation } from "@petstore/docs/contract"

/** What the contract says of an operation, beside what the table of operations says. */
export type Description = Omit<Operation, "operationId" | "deprecated" | "x-sunset">

/** That an operation will go, as RFC 9745 and RFC 8594 write it. */
export interface Deprecation {
  /** Since when. */
  readonly deprecation: string
  /** When it is to be removed. */
  readonly sunset: string
  /** The path of what replaces it. */
  readonly successor: string
}

/** An operation. One without a description is not in the contract. */
export interface Described {
  readonly id: string
  readonly method: "GET" | "POST"
  /** As @koa/router takes it: `/v1/pets/:petId`. */
  readonly path: string
  readonly deprecation?: Deprecation
  readonly description?: Description
}
