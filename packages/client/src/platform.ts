/**
 * Platform types from the caller's project, which declares them for browsers, Node or an edge runtime.
 * Without such declarations the types are `unknown`, so the client's declarations always compile.
 */

/** The platform's `fetch`. */
export type Fetch = typeof globalThis extends { readonly fetch: infer F } ? F : unknown

/** The platform's `AbortSignal`. */
export type Signal = typeof globalThis extends { readonly AbortSignal: { readonly prototype: infer A } } ? A : unknown

/** The platform's `Headers`. */
export type ResponseHeaders = typeof globalThis extends { readonly Headers: { readonly prototype: infer A } } ? A : unknown
