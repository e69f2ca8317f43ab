/** Who is signed in: the API key in the memory of the page, and in the storage of the browser only if one asked for it. */
import { type Client, createClient } from "@petstore/client"

const place = "counter-key"

/** The key that this device keeps; `""` for none, or where storage is forbidden. */
export const keptKey = (): string => {
  try {
    return localStorage.getItem(place) ?? ""
  } catch {
    return ""
  }
}

/** Keeps a key on this device; `""` forgets it. */
export const keepKey = (key: string): void => {
  try {
    if (key === "") localStorage.removeItem(place)
    else localStorage.setItem(place, key)
  } catch {
    // Storage may be forbidden: then the key lives as long as the page.
  }
}

/** The service that this page came from. What somebody waits for should not wait long: seconds, not the half minute of a program. */
export const connect = (apiKey: string): Client =>
  createClient({ baseUrl: `${location.origin}/v1`, apiKey, attemptTimeout: 5_000, timeout: 10_000, maxRetries: 2 })
