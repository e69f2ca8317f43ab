/** Sends one delivery. The response counts by its status alone. */
import { createHmac } from "node:crypto"
import type { IncomingMessage } from "node:http"
import { finished } from "node:stream/promises"
import type { WebhookDelivery, WebhookSettings } from "@petstore/core"
import { version } from "../package-files.js"
import { type AddressRules, addressesOf } from "./addresses.js"

/** Loaded when first used: TLS takes memory that a service without webhooks does not need, and an import would load fetch too. */
const requestBy = (protocol: string) => process.getBuiltinModule(protocol === "https:" ? "node:https" : "node:http").request

/** How long a delivery may take, from the look-up of the name to the end of the response, in ms. */
export const deliveryMillis = 15_000

/** How much of a response is read. */
const responseMaximumBytes = 65_536
const informationalMaximum = 10

/** The signatures of Standard Webhooks. After a rotation, the former secret signs as well for a while. */
const signaturesOf = ({ secret, former }: WebhookSettings, signed: string, nowMillis: number): string => {
  const secrets = former !== undefined && nowMillis < former.untilMillis ? [secret, former.secret] : [secret]
  const keys = secrets.map((one) => Buffer.from(one.replace(/^whsec_/, ""), "base64"))
  return keys.map((key) => `v1,${createHmac("sha256", key).update(signed).digest("base64")}`).join(" ")
}

/** Decodes `Retry-After` (RFC 9110 §10.2.3). */
const retryAfterOf = (text = ""): number | undefined => {
  const millis = /^[0-9]+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now()
  return millis > 0 ? millis : undefined
}

/**
 * Tries to deliver once. Never rejects. Without a response, the status is 0, and `why` is the reason. `retryAfterMillis` is the
 * pause that the endpoint asks for. `signal` ends the try early.
 */
export const send = async (
  rules: AddressRules,
  settings: WebhookSettings,
  { changeId, payload }: Pick<WebhookDelivery, "changeId" | "payload">,
  signal: AbortSignal,
) => {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(deliveryMillis)])
  try {
    const url = new URL(settings.url)
    // A look-up of a name cannot be aborted.
    const addresses = await Promise.race([
      addressesOf(rules, url),
      new Promise<never>((_, reject) => limit.addEventListener("abort", () => reject(limit.reason))),
    ])
    const nowMillis = Date.now()
    const timestamp = String(Math.floor(nowMillis / 1_000))
    const request = requestBy(url.protocol)(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "content-length": Buffer.byteLength(payload),
        "user-agent": `petstore/${version}`,
        "webhook-id": changeId,
        "webhook-timestamp": timestamp,
        "webhook-signature": signaturesOf(settings, `${changeId}.${timestamp}.${payload}`, nowMillis),
      },
      // A connection of its own, so that an idle endpoint holds none. Also keeps a proxy of the environment out.
      agent: false,
      signal: limit,
      lookup: (_host, { all }, give) => {
        const [first] = addresses
        if (all === true) give(null, addresses)
        else give(null, first?.address ?? "", first?.family)
      },
    })
    let informational = 0
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      // A response that switches the protocol (101) emits no error, and informational ones (1xx) may come without an end.
      request.on("close", () => reject(new Error("the connection was closed without a response")))
      request.on("information", () => ++informational > informationalMaximum && request.destroy())
      request.on("response", resolve).on("error", reject).end(payload)
    })
    let bytes = 0
    response.on("data", (chunk) => {
      bytes += chunk.length
      if (bytes > responseMaximumBytes) response.destroy()
    })
    // Whether the response ends does not matter.
    await finished(response).catch(() => {})
    return { status: response.statusCode ?? 0, retryAfterMillis: retryAfterOf(response.headers["retry-after"]) }
  } catch (thrown) {
    if (limit.aborted) return { status: 0, why: `there was no response within ${deliveryMillis / 1_000} s` }
    return { status: 0, why: thrown instanceof Error ? thrown.message : String(thrown) }
  }
}
