import { deliveriesKept, isTaken, type Webhook, type WebhookDelivery, WebhookRepository } from "@petstore/core"
import * as Effect from "effect/Effect"

export const memoryWebhookRepository = () => {
  const webhooks = new Map<string, Webhook>()
  /** Those of each webhook, the newest first. */
  const kept = new Map<string, ReadonlyArray<WebhookDelivery>>()

  const deliveriesOf = (id: string): ReadonlyArray<WebhookDelivery> => kept.get(id) ?? []

  return WebhookRepository.of({
    insert: (webhook) => Effect.sync(() => void webhooks.set(webhook.id, webhook)),

    list: Effect.sync(() => [...webhooks.values()].sort((one, other) => (one.id < other.id ? -1 : 1))),

    replace: ({ id, version }, next, deliveries = []) =>
      Effect.sync(() => {
        if (webhooks.get(id)?.version !== version) return false
        webhooks.set(id, { ...next, version: version + 1 })
        const all = new Map([...deliveriesOf(id), ...deliveries].map((delivery) => [delivery.number, delivery]))
        const oldest = next.progress.last - deliveriesKept
        const newestFirst = [...all.values()].sort((one, other) => other.number - one.number)
        const isKept = (one: WebhookDelivery) => one.number > oldest || one.nextAtMillis !== undefined || !isTaken(one)
        kept.set(id, newestFirst.filter(isKept))
        return true
      }),

    remove: (id) =>
      Effect.sync(() => {
        kept.delete(id)
        return webhooks.delete(id)
      }),

    deliveries: (id) => Effect.sync(() => deliveriesOf(id)),

    due: (id, nowMillis) =>
      Effect.sync(() =>
        deliveriesOf(id)
          .filter(({ nextAtMillis = Infinity }) => nextAtMillis <= nowMillis)
          .slice(-1),
      ),
  })
}
