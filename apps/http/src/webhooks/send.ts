/** Sends one delivery. The response counts by its status alone. */
import { createHmac } from "node:crypto"
import { once } from "node:events"
import type { IncomingMessage } from "node:http"
import { secretsAt, type WebhookDelivery, type WebhookSettings } from "@petstore/core"
import { version } from "../package-files.js"
import { type AddressRules, addressesOf, NotReached } from "./addresses.js"

/** Loaded when first used: TLS takes memory that a service without webhooks does not need, and an import would load fetch too. */
const requestBy = (protocol: string) => process.getBuiltinModule(protocol === "https:" ? "node:https" : "node:http").request

/** How long a delivery may take, from the look-up of the name to the end of the response, in ms. */
export const deliveryMillis = 15_000

/** How much of a response is read. */
const responseMaximumBytes = 65_536

/** The outcome of one try. */
export interface Tried {
  /** The status of the response; 0 without one. */
  readonly status: number
  /** The pause that the endpoint asks for. */
  readonly retryAfterMillis?: number | undefined
  /** Why the address must not be reached: a sentence. */
  readonly refusal?: string
}

/** The signature of Standard Webhooks for each secret, the newest first. */
export const signaturesOf = (secrets: ReadonlyArray<string>, id: string, timestamp: string, payload: string): string =>
  secrets
    .map((secret) => {
      const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64")
      return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${payload}`).digest("base64")}`
    })
    .join(" ")

/** Decodes `Retry-After` (RFC 9110 §10.2.3). */
const retryAfterOf = (text: string | undefined): number | undefined => {
  if (text === undefined) return undefined
  const millis = /^[0-9]+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now()
  return millis > 0 ? millis : undefined
}

/** Tries to deliver once. Never rejects. `signal` ends the try early. */
export const send = async (
  rules: AddressRules,
  settings: WebhookSettings,
  { changeId, payload }: Pick<WebhookDelivery, "changeId" | "payload">,
  signal: AbortSignal,
): Promise<Tried> => {
  const nowMillis = Date.now()
  const timestamp = String(Math.floor(nowMillis / 1_000))
  const limit = AbortSignal.any([signal, AbortSignal.timeout(deliveryMillis)])
  let tried: Tried = { status: 0 }
  try {
    const url = new URL(settings.url)
    // A look-up of a name cannot be aborted.
    const addresses = await Promise.race([
      addressesOf(rules, url),
      new Promise<never>((_, reject) => limit.addEventListener("abort", () => reject(limit.reason))),
    ])
    const request = requestBy(url.protocol)(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "content-length": Buffer.byteLength(payload),
        "user-agent": `petstore/${version}`,
        "webhook-id": changeId,
        "webhook-timestamp": timestamp,
        "webhook-signature": signaturesOf(secretsAt(settings, nowMillis), changeId, timestamp, payload),
      },
      // A connection of its own, so that an idle endpoint holds none. Also keeps a proxy of the environment out.
      agent: false,
      signal: limit,
      lookup: (_host, { all }, give) => {
        const [first] = addresses
        if (all === true) give(null, [...addresses])
        else give(null, first?.address ?? "", first?.family)
      },
    })
    // `once` hears errors only until the response.
    request.on("error", () => {}).end(payload)
    const [response]: ReadonlyArray<IncomingMessage> = await once(request, "response")
    tried = { status: response?.statusCode ?? 0, retryAfterMillis: retryAfterOf(response?.headers["retry-after"]) }
    let bytes = 0
    for await (const chunk of response ?? []) {
      bytes += chunk.length
      // Leaving the loop closes the connection.
      if (bytes > responseMaximumBytes) break
    }
  } catch (thrown) {
    // Otherwise, there is no response or no end of it.
    if (thrown instanceof NotReached) tried = { status: 0, refusal: thrown.message }
  }
  return tried
}
