/**
 * Delivers changes to webhooks, beside the requests. It reads the feed as any reader does, so a crash loses nothing: what a webhook
 * took is noted in the store after its response, and a crash between the two delivers the change again.
 *
 * One process delivers for a webhook: its holder. With a store of one process, this is the service. On PostgreSQL, a process takes
 * a webhook over if its holder has not renewed the hold for {@link leaseMillis}, by the clock of the process that takes it. What a
 * former holder would still note is refused, so a process that was stopped and continues repeats at most one delivery.
 */
import { randomUUID } from "node:crypto"
import {
  type Change,
  ChangeRepository,
  deliveriesKept,
  encodeWebhookPayload,
  failingMaximumMillis,
  nextTryMillis,
  triesInOrder,
  triesMaximum,
  type Webhook,
  type WebhookDelivery,
  type WebhookNote,
  type WebhookProgress,
  WebhookRepository,
  type WebhookSettings,
} from "@petstore/core"
import { Cause, Effect, FiberMap, Option } from "effect"
import type { AddressRules } from "./addresses.js"
import { deliveryMillis, send } from "./send.js"
import { whyDisabled } from "./why-disabled.js"

/** How often the store is asked for webhooks and changes by default, in ms. */
const defaultLookMillis = 1_000

/** How often a hold is renewed, and how long one lasts without. Longer than a delivery, by several renewals. */
const renewMillis = 5_000
export const leaseMillis = deliveryMillis + 3 * renewMillis

/** How many later changes are tried, once the oldest has failed often, to learn whether the endpoint takes any. */
const probes = 5

/** How many changes are read at once to find one that the webhook wants. */
const pageLimit = 100

/** How often a place is stored that only skipped changes, in ms. */
const skipMillis = 60_000

const pruneEvery = 20

export type DeliveryOutcome = "delivered" | "failed" | "given_up"

export interface DelivererOptions {
  readonly rules: AddressRules
  /** Whether no other process delivers. */
  readonly isAlone: boolean
  readonly log: (sentence: string) => void
  readonly count: (outcome: DeliveryOutcome) => void
  /** Told of all webhooks at each look. */
  readonly onWebhooks: (webhooks: ReadonlyArray<Webhook>) => void
  readonly lookMillis?: number
}

/** Delivers for as long as the scope is open. */
export const deliverWebhooks = ({ rules, isAlone, log, count, onWebhooks, lookMillis = defaultLookMillis }: DelivererOptions) =>
  Effect.gen(function* () {
    const webhooks = yield* WebhookRepository
    const changes = yield* ChangeRepository
    const me = randomUUID()
    /** The webhooks at the last look, and the state of the feed. */
    let known = new Map<string, Webhook>()
    let latest = ""
    /** When the holds were renewed. */
    let renewedAtMillis = performance.now()
    /** Since when a version of another holder was seen. */
    const seenAtMillis = new Map<string, readonly [version: number, sinceMillis: number]>()

    /** Delivers for one webhook until the process no longer holds it. */
    const deliverFor = ({ id, progress: started }: Webhook) =>
      Effect.gen(function* () {
        let progress = started
        /** Behind the last change that was delivered or skipped. */
        let { place } = started
        let [readFrom, notedAtMillis, hasRetried] = ["", performance.now(), false]

        /** Stores an outcome, and ends the deliveries if that fails, as it does for a former holder. */
        const note = (outcome: WebhookNote) =>
          Effect.gen(function* () {
            if (!(yield* webhooks.note(id, me, outcome))) return yield* Effect.interrupt
            const { disabled } = outcome
            progress = outcome.progress
            place = progress.place
            notedAtMillis = performance.now()
            if (disabled !== undefined && disabled !== "operator") {
              log(`Webhook ${id} is disabled, because ${whyDisabled[disabled]}. To go on: petstore webhooks enable ${id}`)
              return yield* Effect.interrupt
            }
            if (progress.last % pruneEvery === 0) yield* webhooks.prune(id, progress.last - deliveriesKept)
          })

        /** The next change that the webhook wants, and the place behind it or behind those that it does not want. */
        const nextAfter = (from: string | undefined, { operations }: WebhookSettings) =>
          Effect.gen(function* () {
            for (let after = from, limit = operations.length === 0 ? 1 : pageLimit; ; ) {
              const page = yield* changes.list({ order: "asc", after: Option.fromNullable(after), limit })
              const change = page.changes.find(({ operation }) => operations.length === 0 || operations.includes(operation))
              if (change !== undefined && limit === 1) return { change, place: page.next }
              if (change === undefined && page.changes.length < limit) return { place: page.next }
              // Only a page of one change tells the place behind it.
              if (change !== undefined) limit = 1
              else after = page.next
            }
          })

        /** A delivery that was not tried yet. */
        const newDelivery = (change: Change, number: number): WebhookDelivery => {
          const payload = encodeWebhookPayload(change)
          return { number, changeId: change.id, payload, tries: 0, status: 0, atMillis: 0 }
        }

        /** Tries once. A delivery that the endpoint did not take has a time of the next try. */
        const attempt = (settings: WebhookSettings, { nextAtMillis: _, ...delivery }: WebhookDelivery) =>
          Effect.map(
            Effect.promise((signal) => send(rules, settings, delivery, signal)),
            ({ status, retryAfterMillis, refusal }) => {
              const isTaken = status >= 200 && status < 300
              count(isTaken ? "delivered" : "failed")
              const [tries, atMillis] = [delivery.tries + 1, Date.now()]
              const nextAtMillis = nextTryMillis(tries, atMillis, Math.random(), retryAfterMillis)
              const tried: WebhookDelivery = { ...delivery, tries, status, atMillis, ...(!isTaken && { nextAtMillis }) }
              if (refusal !== undefined && progress.failingSinceMillis === undefined) log(`Webhook ${id} fails: ${refusal}`)
              return { tried, isTaken, hasRetryAfter: retryAfterMillis !== undefined }
            },
          )

        /** Tries changes behind one that failed often. If the endpoint takes one, those before it are put aside. */
        const probe = (settings: WebhookSettings, failed: WebhookProgress, oldest: WebhookDelivery) =>
          Effect.gen(function* () {
            const deliveries = [oldest]
            for (let from = failed.place; deliveries.length <= probes; ) {
              const { change, place: behind } = yield* nextAfter(from, settings)
              if (change === undefined) return undefined
              const last = failed.last + deliveries.length
              const { tried, isTaken } = yield* attempt(settings, newDelivery(change, last))
              deliveries.push(tried)
              if (isTaken) return { progress: { place: behind, last }, deliveries }
              from = behind
            }
            return undefined
          })

        /** Tries the next change (which is before `behind`), the one that holds up later ones, or one that was put aside. */
        const deliver = (settings: WebhookSettings, delivery: WebhookDelivery, behind = place) =>
          Effect.gen(function* () {
            const { number, changeId } = delivery
            const { last, heldUpBy, failingSinceMillis } = progress
            const isAside = number <= last && number !== heldUpBy
            const { tried, isTaken, hasRetryAfter } = yield* attempt(settings, delivery)
            const { nextAtMillis: _, ...ended } = tried
            const gone = tried.status === 410 ? ("gone" as const) : undefined
            if (isTaken) {
              const taking = { place: behind, last: Math.max(number, last), ...(isAside && { heldUpBy }) }
              return yield* note({ progress: taking, deliveries: [tried] })
            }
            // While the endpoint takes nothing, nothing is given up.
            if (isAside && (tried.tries < triesMaximum || failingSinceMillis !== undefined)) {
              return yield* note({ progress, disabled: gone, deliveries: [tried] })
            }
            if (isAside) {
              count("given_up")
              log(
                `Webhook ${id} did not take change ${changeId} in ${tried.tries} tries. To try again: petstore webhooks redeliver ${id} ${changeId}`,
              )
              return yield* note({ progress, disabled: gone, deliveries: [ended] })
            }
            const since = failingSinceMillis ?? tried.atMillis
            const failed = { place: behind, last: Math.max(number, last), heldUpBy: number, failingSinceMillis: since }
            const mayProbe = gone === undefined && tried.tries >= triesInOrder && !hasRetryAfter
            const taken = mayProbe ? yield* probe(settings, failed, tried) : undefined
            const failing = Date.now() - since >= failingMaximumMillis ? ("failing" as const) : undefined
            yield* note(taken ?? { progress: failed, disabled: gone ?? failing, deliveries: [tried] })
          })

        /** Does what is next, or waits. */
        const step = Effect.gen(function* () {
          const webhook = known.get(id)
          const isExpired = !isAlone && performance.now() - renewedAtMillis >= leaseMillis
          if (webhook?.holder !== me || webhook.disabled !== undefined || isExpired) return yield* Effect.interrupt
          const { settings } = webhook
          // Takes turns with the changes in order, which many retries would hold up.
          const [due] = hasRetried ? [] : yield* webhooks.due(id, Date.now())
          hasRetried = due !== undefined
          if (due !== undefined) return yield* deliver(settings, due)
          const state = latest
          if (readFrom !== state && progress.heldUpBy === undefined) {
            const { change, place: behind } = yield* nextAfter(place, settings)
            if (change !== undefined) return yield* deliver(settings, newDelivery(change, progress.last + 1), behind)
            readFrom = state
            place = behind
            const hasSkipped = place !== progress.place && performance.now() - notedAtMillis >= skipMillis
            if (hasSkipped) yield* note({ progress: { ...progress, place }, deliveries: [] })
          }
          yield* Effect.sleep(lookMillis)
        })
        yield* step.pipe(
          Effect.catchTag("CursorExpired", () =>
            note({ progress: { last: progress.last }, disabled: "expired", deliveries: [] }),
          ),
          Effect.forever,
        )
      }).pipe(
        Effect.tapDefect((cause) => Effect.sync(() => log(`Deliveries of webhook ${id} start again: ${Cause.pretty(cause)}`))),
        Effect.ignore,
      )

    /** Whether this process may deliver for a webhook, which it takes if it can. */
    const take = (webhook: Webhook) =>
      Effect.gen(function* () {
        const { id, holder, version, disabled } = webhook
        if (disabled !== undefined) return false
        if (holder === me) return true
        const [seen, sinceMillis] = seenAtMillis.get(id) ?? []
        const nowMillis = performance.now()
        if (seen !== version) seenAtMillis.set(id, [version, nowMillis])
        const isStale = seen === version && sinceMillis !== undefined && nowMillis - sinceMillis >= leaseMillis
        if (holder !== undefined && !isAlone && !isStale) return false
        const taken = { ...webhook, holder: me }
        if (!(yield* webhooks.replace(webhook, taken))) return false
        known.set(id, taken)
        return true
      })

    // Added before the fibers, so it runs after their end: another process need not wait for the lease.
    yield* Effect.addFinalizer(() =>
      Effect.flatMap(webhooks.list, (all) =>
        Effect.forEach(
          all.filter(({ holder }) => holder === me),
          ({ holder: _, ...free }) => webhooks.replace(free, free),
        ),
      ).pipe(Effect.ignore),
    )
    const fibers = yield* FiberMap.make<string>()

    const look = Effect.gen(function* () {
      const startedAtMillis = performance.now()
      const all = yield* webhooks.list
      known = new Map(all.map((webhook) => [webhook.id, webhook]))
      onWebhooks(all)
      if (all.length === 0 && (yield* FiberMap.size(fibers)) === 0) return
      if (!isAlone && startedAtMillis - renewedAtMillis >= renewMillis) {
        // If something was stored since `list`, that renewed the hold.
        const held = all.filter(({ holder }) => holder === me)
        yield* Effect.forEach(held, (webhook) => webhooks.replace(webhook, webhook))
        renewedAtMillis = startedAtMillis
      }
      latest = yield* changes.latest
      for (const [id] of fibers) if (known.get(id)?.holder !== me) yield* FiberMap.remove(fibers, id)
      for (const webhook of all) {
        if (yield* FiberMap.has(fibers, webhook.id)) continue
        if (yield* take(webhook)) yield* FiberMap.run(fibers, webhook.id, deliverFor(webhook))
      }
    })
    yield* Effect.forkScoped(Effect.forever(Effect.zipRight(Effect.ignore(look), Effect.sleep(lookMillis))))
  })
