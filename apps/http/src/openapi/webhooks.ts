/** The request that the service sends to a webhook (specification 6.4). */

/** A header of Standard Webhooks. */
const header = (name: string, description: string) => {
  return { name, in: "header", required: true, description, schema: { type: "string" } }
}

const signature = "`v1,` and base64 of the HMAC-SHA256 of the identifier, the time and the body, joined by full stops."

const Event = {
  type: "object",
  required: ["type", "timestamp", "data"],
  properties: {
    type: { type: "string", description: "The operation of the change.", examples: ["createPet"] },
    timestamp: { type: "string", format: "date-time", description: "When the change happened." },
    data: { $ref: "#/components/schemas/Change" },
  },
}

/** The `webhooks` of the document. Only the operator registers one, so no operation of the API refers to them. */
export const webhooks = {
  change: {
    post: {
      operationId: "change",
      tags: ["changes"],
      summary: "A change, sent to a webhook",
      description:
        "Sent for each change to the webhooks that the operator registered (`petstore webhooks add`), by the Standard Webhooks specification: in order, and at least once. Verify the signature with the webhook's secret. Experimental.",
      "x-stability": "experimental",
      security: [],
      parameters: [
        header("webhook-id", "The change's identifier, which is the same when the change arrives again."),
        header("webhook-timestamp", "When the request was sent, in seconds since 1970."),
        header("webhook-signature", signature),
      ],
      requestBody: { description: "The change.", required: true, content: { "application/json": { schema: Event } } },
      responses: {
        "2XX": { description: "The change was taken." },
        "410": { description: "The service sends no more to this webhook, until the operator enables it." },
        default: { description: "The change was not taken. The service sends it again later." },
      },
    },
  },
}
