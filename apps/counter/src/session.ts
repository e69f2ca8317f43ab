/** A signed-in user's session. The page keeps the API key in memory, and in the browser's storage only on request. */
import { type Client, createClient } from "@petstore/client"
import { storedText } from "@petstore/pages/stored-text"

export const storedKey = storedText("localStorage", "counter-key")

/** The API is beside the page, also behind a proxy with a path of its own. A user is waiting, so the timeouts are a few seconds. The client's default, half a minute, suits programs. */
export const connect = (apiKey: string): Client =>
  createClient({ baseUrl: new URL("v1", location.href).href, apiKey, attemptTimeout: 5_000, timeout: 10_000, maxRetries: 2 })

export interface Session {
  readonly petstore: Client
  /** Aborted when the user signs out. */
  readonly signal: AbortSignal
  /** Called with every failure. Leaves the page if the key is refused, and hides actions if the key is read-only. */
  readonly onFailure: (thrown: unknown) => void
}
