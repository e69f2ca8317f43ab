import type { AccountId, ApiKeyId } from "../credentials/account.js"

/** A caller of the service, and its request. @experimental */
export interface Caller {
  readonly accountId: AccountId
  readonly keyId: ApiKeyId
  /** The request's identifier, as in the log and in `X-Request-Id`. */
  readonly requestId?: string
}

/**
 * Who makes a change: a caller, or a command of the operator, such as `import`. A plain value, which every writing function of the
 * ports takes last. A program that has neither leaves it out, and the change then does not say who made it.
 *
 * @experimental
 */
export type Actor = Caller | { readonly command: string }
