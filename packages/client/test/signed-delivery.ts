/** A delivery of a webhook, signed as Standard Webhooks specifies. */
import { createHmac } from "node:crypto"

interface Sent {
  readonly payload?: string
  readonly sentAtMillis?: number
  /** Before and after the signature. */
  readonly others?: readonly [before: string, after: string]
}

const event = `{"type":"createPet","timestamp":"2026-11-28T23:22:02.953Z","data":{"id":"1-a","at":"2026-11-28T23:22:02.953Z","operation":"createPet","after":{"pet":{"id":1,"name":"Ünal 🐶","categoryId":9007199254740993}}}}`

export const signedDelivery = ({ payload = event, sentAtMillis = Date.now(), others: [before, after] = ["", ""] }: Sent = {}) => {
  const timestamp = String(Math.floor(sentAtMillis / 1_000))
  const key = Buffer.from("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "base64")
  const signature = createHmac("sha256", key).update(`1-a.${timestamp}.${payload}`).digest("base64")
  const headers = {
    "webhook-id": "1-a",
    "webhook-timestamp": timestamp,
    "webhook-signature": `${before}v1,${signature}${after}`,
  }
  return { payload, headers, secret: `whsec_${key.toString("base64")}` }
}
