import type { WebhookDisabled } from "@petstore/core"

/** Why a webhook is disabled, if not by the operator. */
export const whyDisabled: Readonly<Record<Exclude<WebhookDisabled, "operator">, string>> = {
  gone: "its endpoint responded with 410",
  failing: "its endpoint has taken nothing for five days",
  expired: "changes that it has not got are no longer kept, or the store was replaced",
}
