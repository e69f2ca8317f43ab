import { type Webhook, type WebhookDelivery, WebhookRepository } from "@petstore/core"
import * as Effect from "effect/Effect"

export const memoryWebhookRepository = () => {
  const webhooks = new Map<string, Webhook>()
  /** Those of each webhook, the newest first. */
  const deliveries = new Map<string, ReadonlyArray<WebhookDelivery>>()

  const deliveriesOf = (id: string): ReadonlyArray<WebhookDelivery> => deliveries.get(id) ?? []

  const storeDeliveries = (id: string, stored: ReadonlyArray<WebhookDelivery>): void => {
    const byNumber = new Map([...deliveriesOf(id), ...stored].map((delivery) => [delivery.number, delivery]))
    deliveries.set(
      id,
      [...byNumber.values()].sort((one, other) => other.number - one.number),
    )
  }

  return WebhookRepository.of({
    insert: (webhook) => Effect.sync(() => void webhooks.set(webhook.id, webhook)),

    list: Effect.sync(() => [...webhooks.values()].sort((one, other) => (one.id < other.id ? -1 : 1))),

    replace: ({ id, version }, next) =>
      Effect.sync(() => {
        const isSame = webhooks.get(id)?.version === version
        if (isSame) webhooks.set(id, { ...next, version: version + 1 })
        return isSame
      }),

    remove: (id) =>
      Effect.sync(() => {
        deliveries.delete(id)
        return webhooks.delete(id)
      }),

    note: (id, holder, { progress, disabled, deliveries: noted }) =>
      Effect.sync(() => {
        const webhook = webhooks.get(id)
        if (webhook === undefined || webhook.holder !== holder) return false
        const { disabled: _, version, ...same } = webhook
        webhooks.set(id, { ...same, progress, ...(disabled !== undefined && { disabled }), version: version + 1 })
        storeDeliveries(id, noted)
        return true
      }),

    deliveries: (id) => Effect.sync(() => deliveriesOf(id)),

    due: (id, nowMillis) =>
      Effect.sync(() =>
        deliveriesOf(id)
          .filter(({ nextAtMillis = Infinity }) => nextAtMillis <= nowMillis)
          .slice(-1),
      ),

    retime: (id, meant, nextAtMillis) =>
      Effect.sync(() => {
        const found =
          "upTo" in meant
            ? deliveriesOf(id).filter((delivery) => delivery.number <= meant.upTo && delivery.nextAtMillis !== undefined)
            : deliveriesOf(id)
                .filter(({ changeId }) => changeId === meant.changeId)
                .slice(0, 1)
        const next = nextAtMillis !== undefined && { nextAtMillis }
        storeDeliveries(
          id,
          found.map(({ nextAtMillis: _, ...same }) => ({ ...same, ...next })),
        )
        return found.length > 0
      }),

    prune: (id, number) =>
      Effect.sync(() => {
        const remaining = deliveriesOf(id).filter((delivery) => delivery.number > number || delivery.nextAtMillis !== undefined)
        deliveries.set(id, remaining)
      }),
  })
}
