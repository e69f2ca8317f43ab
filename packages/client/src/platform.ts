/**
 * Types of the platform, from the declarations that the caller's project has: those of browsers, of Node or of an edge
 * runtime. Where it has none they are `unknown`, so that these declarations compile without any.
 */

/** The platform's `fetch`. */
export type Fetch = typeof globalThis extends { readonly fetch: infer F } ? F : unknown

/** The platform's `AbortSignal`. */
export type Signal = typeof globalThis extends { readonly AbortSignal: { readonly prototype: infer A } } ? A : unknown

/** The platform's `Headers`. */
export type AnswerHeaders = typeof globalThis extends { readonly Headers: { readonly prototype: infer A } } ? A : unknown
