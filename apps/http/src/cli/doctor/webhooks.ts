/** Checks whether the endpoints of webhooks take their changes. */
import { type Webhook, whyDisabled } from "@petstore/core"
import { counted } from "../output.js"
import { type Finding, ok, problem, warning } from "./finding.js"

const findingOf = ({ id, settings: { url }, progress, disabled }: Webhook): Finding | undefined => {
  const name = `Webhook ${id} (${url})`
  if (disabled === "operator") return ok("webhooks", `${name} is disabled by the operator.`)
  if (disabled !== undefined)
    return problem("webhooks", `${name} is disabled, because ${whyDisabled[disabled]}.`, `petstore webhooks enable ${id}`)
  if (progress.failingSinceMillis === undefined) return undefined
  const since = new Date(progress.failingSinceMillis).toISOString()
  const says = `${name} has taken nothing since ${since}. After five days, it is disabled.`
  return warning("webhooks", says, `petstore webhooks deliveries ${id} shows the next try, and ${url} has to respond with 2xx.`)
}

/** No finding if there are no webhooks. */
export const webhookFindings = (webhooks: ReadonlyArray<Webhook>): ReadonlyArray<Finding> => {
  if (webhooks.length === 0) return []
  const found = webhooks.map(findingOf).filter((finding) => finding !== undefined)
  return found.length === 0 ? [ok("webhooks", `${counted(webhooks.length, "webhook")} took the last change.`)] : found
}
