/**
 * Platform types from the caller's project, which declares them for browsers, Node or an edge runtime.
 * Without such declarations the types are `unknown`, so the client's declarations always compile.
 */

/** The platform's `AbortSignal`. */
export type Signal = typeof globalThis extends { readonly AbortSignal: { readonly prototype: infer A } } ? A : unknown

/** The request that the client passes to `fetch`, beside the URL. */
export interface FetchRequest {
  readonly method: string
  readonly headers: Record<string, string>
  readonly body?: string
  readonly signal: Signal
  readonly redirect: "manual"
}

/** The headers that the client reads of a response. */
export interface ResponseHeaders {
  readonly get: (name: string) => string | null
  readonly forEach: (visit: (value: string, name: string) => void) => void
}

/** The members that the client reads of a response. */
export interface FetchResponse {
  readonly status: number
  readonly ok: boolean
  readonly headers: ResponseHeaders
  readonly arrayBuffer: () => Promise<ArrayBuffer>
}

/**
 * A function like `fetch`. The `fetch` of every platform and of packages such as undici fits, although their types differ, and so
 * does a function of your own.
 */
export type Fetch = (url: string, request: FetchRequest) => Promise<FetchResponse>
