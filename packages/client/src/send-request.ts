/** How an operation sends its request: what `createClient` makes of its options. */
import type { Call } from "./call.js"
import type { CallOptions, CreateOptions } from "./call-options.js"

/** A request of an operation. `path` is relative to the base address. */
export type OperationRequest<A> = Pick<Call<A>, "method" | "decode"> &
  Partial<Pick<Call<A>, "body" | "idempotencyKey">> & { readonly path: string }

export interface SendRequest {
  readonly request: <A>(call: OperationRequest<A>, options: CallOptions) => Promise<A>
  /** Creates something, once: under the caller's idempotency key or one of its own. */
  readonly create: <A>(path: string, body: string, decode: Call<A>["decode"], options: CreateOptions) => Promise<A>
}
