/** Verifies deliveries of webhooks (standardwebhooks.com) with Web Crypto, which Node, browsers and edge runtimes have. */
import { parseExactJson } from "@petstore/core/exact-json"
import { type Change, changeOperation, decodeChange } from "./change.js"
import { object, timestamp } from "./fields.js"

/** The body of a delivery. @experimental */
export interface WebhookEvent {
  readonly type: Change["operation"]
  readonly timestamp: Date
  readonly data: Change
}

/** The headers of a request: `Headers`, or an object with lower-case names, as Node and most frameworks have. @experimental */
export type WebhookHeaders =
  | { readonly get: (name: string) => string | null }
  | { readonly [name: string]: string | ReadonlyArray<string> | undefined }

/** How far a delivery's time may be from ours, in s. */
const toleranceSeconds = 300

const decodeEvent = object<WebhookEvent>({ type: changeOperation, timestamp, data: decodeChange }, {})

const refused = (reason: string): TypeError => new TypeError(`The webhook is not verified: ${reason}.`)

/** Decodes base64. Other text has no bytes. */
const bytesOf = (base64: string): Uint8Array<ArrayBuffer> => {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  } catch {
    return new Uint8Array()
  }
}

/**
 * Verifies a delivery, and returns its body. Rejects with a `TypeError` if the delivery was not signed with the secret, was changed,
 * or is older than five minutes. A handler calls `verifyWebhook(await request.text(), request.headers, secret)`. Drop a repetition
 * by `data.id`, which is the header `webhook-id` as well.
 *
 * @param payload  the body of the request exactly as received: text, not parsed JSON
 * @param secret   the secret of `petstore webhooks add`
 * @experimental
 */
export const verifyWebhook = async (payload: string, headers: WebhookHeaders, secret: string): Promise<WebhookEvent> => {
  const headerOf = (name: string): string => {
    const value = typeof headers["get"] === "function" ? headers["get"](name) : Reflect.get(headers, name)
    if (typeof value !== "string") throw refused(`the header ${name} is missing`)
    return value
  }
  const [id, sentAt, signatures] = [headerOf("webhook-id"), headerOf("webhook-timestamp"), headerOf("webhook-signature")]
  const ageSeconds = Math.abs(Date.now() / 1000 - Number(sentAt))
  if (!(/^[0-9]+$/.test(sentAt) && ageSeconds <= toleranceSeconds)) throw refused("its time is more than five minutes from ours")
  const algorithm = { name: "HMAC", hash: "SHA-256" }
  const keyBytes = bytesOf(secret.replace(/^whsec_/, ""))
  if (keyBytes.length === 0) throw new TypeError("The secret is not one of petstore webhooks add: expected whsec_ and base64.")
  const key = await crypto.subtle.importKey("raw", keyBytes, algorithm, false, ["verify"])
  const signed = new TextEncoder().encode(`${id}.${sentAt}.${payload}`)
  for (const signature of signatures.split(" ")) {
    const [version, base64 = ""] = signature.split(",")
    // Compares in constant time.
    if (version === "v1" && (await crypto.subtle.verify("HMAC", key, bytesOf(base64), signed))) {
      const event = decodeEvent(parseExactJson(payload))
      if (event === undefined) throw refused("its body is not an event that this version of the client knows")
      return event
    }
  }
  throw refused("no signature matches the secret and the body")
}
