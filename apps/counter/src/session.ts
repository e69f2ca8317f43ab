/** The open session and its key, which the browser keeps for this tab or, on request, for this device. */
import { type Client, createClient } from "@petstore/client"
import { storedText } from "@petstore/pages/stored-text"
import { hasCode, sentenceOf } from "./failure.ts"
import { type Session, update } from "./state.ts"

const deviceKey = storedText("localStorage", "counter-key")
const tabKey = storedText("sessionStorage", "counter-key")

/** The API is beside the page, also behind a proxy with a path of its own. A user is waiting, so the timeouts are a few seconds. The client's default, half a minute, suits programs. */
export const connect = (apiKey: string): Client =>
  createClient({ baseUrl: new URL("v1", location.href).href, apiKey, attemptTimeout: 5_000, timeout: 10_000, maxRetries: 2 })

/** Stops the requests, timers and questions of the session. */
let ending = new AbortController()

/** Opens a session, and keeps its key in this tab, or on this device too. */
export const openSession = (petstore: Client, apiKey: string, isKept: boolean): Session => {
  ending.abort()
  ending = new AbortController()
  tabKey.write(apiKey)
  if (isKept) deviceKey.write(apiKey)
  return { petstore, signal: ending.signal }
}

/** Ends the session, and drops its key. */
export const endSession = (): void => {
  ending.abort()
  deviceKey.write("")
  tabKey.write("")
}

export const keptKey = (): { readonly apiKey: string; readonly isKept: boolean } => {
  const kept = deviceKey.read()
  return kept === "" ? { apiKey: tabKey.read(), isKept: false } : { apiKey: kept, isKept: true }
}

/** Asks for another key if this one was refused. Returns whether it asks. */
export const isRefused = (thrown: unknown): boolean => {
  if (!hasCode(thrown, "invalid_credential", "missing_credential")) return false
  endSession()
  update({ session: undefined, problem: sentenceOf(thrown) })
  return true
}
