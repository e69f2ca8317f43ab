/** The session: the API key in the memory of the page, and in the storage of the browser only if the person wants that. */
import { type Client, createClient } from "@petstore/client"
import { storedText } from "@petstore/docs/stored-text"

/** The key that this device keeps. */
export const storedKey = storedText("localStorage", "counter-key")

/** The service of this page. A person waits: the timeouts are seconds, not the half minute of a program. */
export const connect = (apiKey: string): Client =>
  createClient({ baseUrl: `${location.origin}/v1`, apiKey, attemptTimeout: 5_000, timeout: 10_000, maxRetries: 2 })

/** The session for the parts of the page. */
export interface Session {
  readonly petstore: Client
  /** Aborts when the person signs out. */
  readonly signal: AbortSignal
  /** Called with every failure: leaves the page if the key is refused, and hides actions of a read-only key. */
  readonly onFailure: (thrown: unknown) => void
}
