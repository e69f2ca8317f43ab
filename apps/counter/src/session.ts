/** Who is signed in: the API key in the memory of the page, and in the storage of the browser only if one asked for it. */
import { type Client, createClient } from "@petstore/client"
import { storedText } from "@petstore/docs/stored-text"

/** The key that this device keeps. */
export const storedKey = storedText("localStorage", "counter-key")

/** The service of this page. A person waits: the timeouts are seconds, not the half minute of a program. */
export const connect = (apiKey: string): Client =>
  createClient({ baseUrl: `${location.origin}/v1`, apiKey, attemptTimeout: 5_000, timeout: 10_000, maxRetries: 2 })

/** What the parts of the page need of a person who is signed in. */
export interface Session {
  readonly petstore: Client
  /** Aborts when the person leaves. */
  readonly signal: AbortSignal
  /** Called with every failure: leaves the page if the key is refused, and hides what a key cannot do. */
  readonly onFailure: (thrown: unknown) => void
}
