/** Which deliveries of webhooks the client verifies. */
import { expect, it } from "vitest"
import { verifyWebhook } from "../src/webhook.js"
import { signedDelivery } from "./signed-delivery.js"

const [minute, signed] = [60_000, signedDelivery()]

it("verifyWebhook returns the event, with exact integers and dates, for the headers of Node and of fetch", async () => {
  const { payload, headers, secret } = signed
  const at = new Date("2026-11-28T23:22:02.953Z")
  const pet = { id: 1n, name: "Ünal 🐶", categoryId: 2n ** 53n + 1n }
  const event = { type: "createPet", timestamp: at, data: { id: "1-a", at, operation: "createPet", after: { pet } } }
  expect(await verifyWebhook(payload, headers, secret)).toStrictEqual(event)
  expect(await verifyWebhook(payload, new Headers(headers), secret)).toStrictEqual(event)
})

it.each([
  ["the second of two signatures", signedDelivery({ others: ["v1,AAAA ", ""] })],
  ["the first of two signatures", signedDelivery({ others: ["", " v1,AAAA"] })],
  ["a signature beside one of a later version, and one that is not base64", signedDelivery({ others: ["v2,x v1,%% ", " x"] })],
  ["a delivery of four minutes ago", signedDelivery({ sentAtMillis: Date.now() - 4 * minute })],
])("verifyWebhook accepts %s", async (_, { payload, headers, secret }) => {
  expect((await verifyWebhook(payload, headers, secret)).data.id).toBe("1-a")
})

const withHeader = (name: string, value: string | undefined) => ({ ...signed, headers: { ...signed.headers, [name]: value } })

it.each([
  ["another body", { ...signed, payload: signed.payload.replace("Ünal", "Unal") }, "no signature matches"],
  ["another secret", { ...signed, secret: "whsec_AAAA" }, "no signature matches"],
  ["another identifier", withHeader("webhook-id", "1-b"), "no signature matches"],
  ["a signature that is not base64", withHeader("webhook-signature", "v1,%%"), "no signature matches"],
  [
    "a signature of another version only",
    withHeader("webhook-signature", `v2${signed.headers["webhook-signature"]}`),
    "no signature",
  ],
  ["a missing identifier", withHeader("webhook-id", undefined), "the header webhook-id is missing"],
  ["a missing signature", withHeader("webhook-signature", undefined), "the header webhook-signature is missing"],
  ["a time that is not a number", withHeader("webhook-timestamp", "now"), "more than five minutes"],
  ["a delivery of six minutes ago", signedDelivery({ sentAtMillis: Date.now() - 6 * minute }), "more than five minutes"],
  ["a delivery in six minutes", signedDelivery({ sentAtMillis: Date.now() + 6 * minute }), "more than five minutes"],
  ["a body that is not an event", signedDelivery({ payload: '{"type":"createPet"}' }), "not an event"],
  ["an empty secret", { ...signed, secret: "" }, "The secret is not one of petstore webhooks add"],
  ["a secret that is not base64", { ...signed, secret: "whsec_%%" }, "The secret is not one of petstore webhooks add"],
])("verifyWebhook refuses %s", async (_, { payload, headers, secret }, message) => {
  const refusal: unknown = await verifyWebhook(payload, headers, secret).catch((thrown: unknown) => thrown)
  expect(refusal).toBeInstanceOf(TypeError)
  expect(String(refusal)).toContain(message)
})
