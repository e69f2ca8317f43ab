/** The session. The API key is in the page's memory, and in the browser's storage only if the person wants it to be stored. */
import { type Client, createClient } from "@petstore/client"
import { storedText } from "@petstore/docs/stored-text"

/** The key that is stored on this device. */
export const storedKey = storedText("localStorage", "counter-key")

/**
 * Creates the client for this page's service. Because a person is waiting, the timeouts are a few seconds, not half a minute as
 * for programs.
 */
export const connect = (apiKey: string): Client =>
  createClient({ baseUrl: `${location.origin}/v1`, apiKey, attemptTimeout: 5_000, timeout: 10_000, maxRetries: 2 })

/** The part of the session that the page's modules need. */
export interface Session {
  readonly petstore: Client
  /** Aborts when the person signs out. */
  readonly signal: AbortSignal
  /** Called with every failure. Leaves the page if the key is refused, and hides actions if the key is read-only. */
  readonly onFailure: (thrown: unknown) => void
}
