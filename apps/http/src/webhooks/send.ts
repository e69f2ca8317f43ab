/** Sends one delivery. The response counts by its status alone. */
import { createHmac } from "node:crypto"
import type { IncomingMessage } from "node:http"
import { secretsAt, type WebhookSettings } from "@petstore/core"
import { version } from "../package-files.js"
import { type AddressRules, addressesOf } from "./addresses.js"

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

/** Resolves at the end of a response, however it ends. Reads a bounded part of it. */
const discarded = (response: IncomingMessage): Promise<void> =>
  new Promise((resolve) => {
    let bytes = 0
    response.on("data", (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > responseMaximumBytes) response.destroy()
    })
    response.on("error", () => {})
    response.on("close", resolve)
  })

/** Sends a request, and resolves at the end of the response. `onHead` is told of the status before. */
const respond = async (
  rules: AddressRules,
  url: URL,
  headers: Readonly<Record<string, string>>,
  body: Buffer,
  signal: AbortSignal,
  onHead: (tried: Tried) => void,
): Promise<void> => {
  const addresses = await addressesOf(rules, url)
  signal.throwIfAborted()
  return new Promise((resolve, reject) => {
    const request = requestBy(url.protocol)(url, {
      method: "POST",
      headers: { ...headers, "content-length": body.length },
      // A connection of its own, so that an idle endpoint holds none. Also keeps a proxy of the environment out.
      agent: false,
      signal,
      lookup: (_host, { all }, give) => {
        const [first] = addresses
        if (all === true) give(null, [...addresses])
        else give(null, first?.address ?? "", first?.family)
      },
    })
    request.on("error", reject)
    request.on("response", (response) => {
      onHead({ status: response.statusCode ?? 0, retryAfterMillis: retryAfterOf(response.headers["retry-after"]) })
      discarded(response).then(resolve)
    })
    request.end(body)
  })
}

/** Tries to deliver once. Never rejects. `signal` ends the try early. */
export const send = async (
  rules: AddressRules,
  settings: WebhookSettings,
  delivery: { readonly changeId: string; readonly payload: string },
  signal: AbortSignal,
): Promise<Tried> => {
  const { changeId, payload } = delivery
  const nowMillis = Date.now()
  const timestamp = String(Math.floor(nowMillis / 1_000))
  const headers = {
    "content-type": "application/json",
    "user-agent": `petstore/${version}`,
    "webhook-id": changeId,
    "webhook-timestamp": timestamp,
    "webhook-signature": signaturesOf(secretsAt(settings, nowMillis), changeId, timestamp, payload),
  }
  const limit = AbortSignal.any([signal, AbortSignal.timeout(deliveryMillis)])
  const expired = new Promise<never>((_, reject) => limit.addEventListener("abort", () => reject(limit.reason)))
  let head: Tried | undefined
  const onHead = (tried: Tried): void => {
    head = tried
  }
  try {
    // A look-up of a name cannot be aborted.
    await Promise.race([respond(rules, new URL(settings.url), headers, Buffer.from(payload), limit, onHead), expired])
  } catch {
    // Without a head, nothing is known of the delivery.
  }
  return head ?? { status: 0 }
}
