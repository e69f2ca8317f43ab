import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { StorageUnavailable } from "../errors.js"
import type { Webhook, WebhookDelivery } from "./webhook.js"

/**
 * Keeps webhooks, and who delivers for them: one process holds a webhook, and renews its hold. Another process takes a webhook
 * over if it has seen its version unchanged for long enough by its own clock. `@petstore/core/testing` has the contract suite.
 *
 * @experimental
 */
export class WebhookRepository extends Context.Tag("@petstore/core/WebhookRepository")<
  WebhookRepository,
  {
    readonly insert: (webhook: Webhook) => Effect.Effect<void, StorageUnavailable>

    /** Lists all webhooks in the order of their identifiers. */
    readonly list: Effect.Effect<ReadonlyArray<Webhook>, StorageUnavailable>

    /**
     * Replaces a webhook, and stores new deliveries and known ones (by number) with a new outcome, all of it or nothing. Returns
     * `false`, and changes nothing, if the webhook has another version now. The version of `next` is ignored.
     */
    readonly replace: (
      seen: Webhook,
      next: Webhook,
      deliveries?: ReadonlyArray<WebhookDelivery>,
    ) => Effect.Effect<boolean, StorageUnavailable>

    /** Removes a webhook and its deliveries. Returns `false` if it does not exist. */
    readonly remove: (id: string) => Effect.Effect<boolean, StorageUnavailable>

    /** Lists the last {@link deliveriesKept} deliveries, and older ones that the endpoint did not take or that are tried again, newest first. */
    readonly deliveries: (id: string) => Effect.Effect<ReadonlyArray<WebhookDelivery>, StorageUnavailable>

    /** The oldest delivery to be tried again at a time, at most one. */
    readonly due: (id: string, nowMillis: number) => Effect.Effect<ReadonlyArray<WebhookDelivery>, StorageUnavailable>
  }
>() {}
