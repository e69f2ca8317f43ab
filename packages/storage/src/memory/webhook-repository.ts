import { type Webhook, type WebhookDelivery, WebhookRepository } from "@petstore/core"
import * as Effect from "effect/Effect"

interface Kept {
  webhook: Webhook
  deliveries: ReadonlyArray<WebhookDelivery>
}

export const memoryWebhookRepository = () => {
  const kept = new Map<string, Kept>()
  const deliveriesOf = (id: string): ReadonlyArray<WebhookDelivery> => kept.get(id)?.deliveries ?? []

  return WebhookRepository.of({
    insert: (webhook) => Effect.sync(() => void kept.set(webhook.id, { webhook, deliveries: [] })),

    list: Effect.sync(() => [...kept.values()].map(({ webhook }) => webhook).sort((one, other) => (one.id < other.id ? -1 : 1))),

    replace: ({ id, version }, next) =>
      Effect.sync(() => {
        const known = kept.get(id)
        if (known?.webhook.version !== version) return false
        known.webhook = { ...next, version: version + 1 }
        return true
      }),

    remove: (id) => Effect.sync(() => kept.delete(id)),

    renew: (holder) =>
      Effect.sync(() => {
        for (const known of kept.values()) {
          const { webhook } = known
          if (webhook.holder === holder) known.webhook = { ...webhook, version: webhook.version + 1 }
        }
      }),

    note: (id, holder, { progress, disabled, deliveries }) =>
      Effect.sync(() => {
        const known = kept.get(id)
        if (known === undefined || known.webhook.holder !== holder) return false
        const { disabled: _, version, ...same } = known.webhook
        known.webhook = { ...same, progress, ...(disabled !== undefined && { disabled }), version: version + 1 }
        const noted = new Map([...known.deliveries, ...deliveries].map((delivery) => [delivery.number, delivery]))
        known.deliveries = [...noted.values()].sort((one, other) => one.number - other.number)
        return true
      }),

    deliveries: (id, limit) => Effect.sync(() => deliveriesOf(id).toReversed().slice(0, limit)),

    due: (id, nowMillis) =>
      Effect.sync(() =>
        deliveriesOf(id)
          .filter(({ nextAtMillis = Infinity }) => nextAtMillis <= nowMillis)
          .slice(0, 1),
      ),

    redeliver: (id, changeId, nowMillis) =>
      Effect.sync(() => {
        const known = kept.get(id)
        const found = known?.deliveries.findLast((delivery) => delivery.changeId === changeId)
        if (known === undefined || found === undefined) return false
        known.deliveries = known.deliveries.map((delivery) =>
          delivery === found ? { ...delivery, nextAtMillis: nowMillis } : delivery,
        )
        return true
      }),

    prune: (id, number) =>
      Effect.sync(() => {
        const known = kept.get(id)
        if (known === undefined) return
        known.deliveries = known.deliveries.filter((delivery) => delivery.number > number || delivery.nextAtMillis !== undefined)
      }),
  })
}
