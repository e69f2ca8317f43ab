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
  ChangeRepository,
  failingMaximumMillis,
  isTaken,
  newDelivery,
  nextTryMillis,
  triesInOrder,
  triesMaximum,
  type Webhook,
  type WebhookDelivery,
  type WebhookProgress,
  WebhookRepository,
  whyDisabled,
} from "@petstore/core"
import { Cause, Effect, FiberMap, Option } from "effect"
import type { AddressRules } from "./addresses.js"
import { deliveryMillis, send } from "./send.js"

/** How often the store is asked for webhooks and changes by default, in ms. */
const defaultLookMillis = 1_000

/** How often a hold is renewed, and how long one lasts without. Longer than a delivery, by several renewals. */
const renewMillis = 5_000
export const leaseMillis = deliveryMillis + 3 * renewMillis

/** How many later changes are tried, once the oldest has failed often, to learn whether the endpoint takes any. */
const probes = 5

/** How many changes are read at once to find one that the webhook wants. */
const pageLimit = 100

export interface DelivererOptions {
  readonly rules: AddressRules
  /** Whether no other process delivers. */
  readonly isAlone: boolean
  readonly log: (sentence: string) => void
  readonly count: (outcome: "delivered" | "failed" | "given_up") => void
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
    /** The state of the feed at the last look. */
    let latest = ""
    /** Since when a webhook has its version. */
    const seen = new Map<string, { readonly version: number; readonly sinceMillis: number }>()

    /** Reads a webhook. Fails if another process holds it. */
    const read = (id: string) =>
      Effect.flatMap(webhooks.list, (all) => {
        const webhook = all.find((one) => one.id === id)
        return webhook?.holder === me ? Effect.succeed(webhook) : Effect.fail("not held" as const)
      })

    /** Stores an outcome. Meanwhile, a command may have changed the settings, or disabled the webhook. */
    const note = (tried: Webhook, progress: WebhookProgress, tries: Array<WebhookDelivery>, why?: keyof typeof whyDisabled) =>
      Effect.gen(function* () {
        const { id } = tried
        for (let now = tried; ; now = yield* read(id)) {
          if (yield* webhooks.replace(now, { ...now, progress, disabled: now.disabled ?? why }, tries)) break
        }
        if (why === undefined) return
        log(`Webhook ${id} is disabled, because ${whyDisabled[why]}. To go on: petstore webhooks enable ${id}`)
      })

    /** The next change that a webhook wants, and the place behind it or behind those that it does not want. */
    const nextAfter = ({ settings: { operations } }: Webhook, from: string | undefined) =>
      Effect.gen(function* () {
        for (let after = from, limit = operations.length === 0 ? 1 : pageLimit; ; ) {
          const { changes: page, next } = yield* changes.list({ order: "asc", after: Option.fromNullable(after), limit })
          const index = page.findIndex(({ operation }) => operations.length === 0 || operations.includes(operation))
          // Only the place behind a page is known, so the change has to be its last one.
          if (index >= 0 && index === page.length - 1) return { change: page[index], place: next }
          if (index >= 0) limit = index + 1
          else if (page.length < limit) return { place: next }
          else after = next
        }
      })

    /** Tries once. A delivery that the endpoint did not take has a time of the next try. */
    const attempt = ({ id, settings, progress }: Webhook, delivery: WebhookDelivery) =>
      Effect.map(
        Effect.promise((signal) => send(rules, settings, delivery, signal)),
        ({ status, why, retryAfterMillis }) => {
          const tried = { ...delivery, tries: delivery.tries + 1, status, atMillis: Date.now(), nextAtMillis: undefined }
          count(isTaken(tried) ? "delivered" : "failed")
          if (isTaken(tried)) return { tried, hasRetryAfter: false }
          if (why !== undefined && progress.failingSinceMillis === undefined) log(`Webhook ${id} fails: ${why}.`)
          const nextAtMillis = nextTryMillis(tried.tries, tried.atMillis, Math.random(), retryAfterMillis)
          return { tried: { ...tried, nextAtMillis }, hasRetryAfter: retryAfterMillis !== undefined }
        },
      )

    /** Tries the next change (which is before `place`), the one that holds up later ones, or one that was put aside. */
    const deliver = (webhook: Webhook, delivery: WebhookDelivery, place = webhook.progress.place) =>
      Effect.gen(function* () {
        const { id, progress } = webhook
        const { number, changeId } = delivery
        const isAside = number <= progress.last && number !== progress.heldUpBy
        const last = Math.max(number, progress.last)
        const { tried, hasRetryAfter } = yield* attempt(webhook, delivery)
        if (isTaken(tried))
          return yield* note(webhook, { place, last, heldUpBy: isAside ? progress.heldUpBy : undefined }, [tried])
        const gone = tried.status === 410 ? ("gone" as const) : undefined
        if (isAside) {
          // While the endpoint takes nothing, nothing is given up.
          const isGivenUp = tried.tries >= triesMaximum && progress.failingSinceMillis === undefined
          if (isGivenUp) {
            count("given_up")
            const again = `petstore webhooks redeliver ${id} ${changeId}`
            log(`Webhook ${id} did not take change ${changeId} in ${tried.tries} tries. To try again: ${again}`)
          }
          return yield* note(webhook, progress, [isGivenUp ? { ...tried, nextAtMillis: undefined } : tried], gone)
        }
        const deliveries = [tried]
        const mayProbe = tried.tries >= triesInOrder && gone === undefined && !hasRetryAfter
        for (let behind = place; mayProbe && deliveries.length <= probes; ) {
          const now = yield* read(id)
          const { change, place: after } = yield* nextAfter(now, behind)
          if (change === undefined) break
          const { tried: later } = yield* attempt(now, newDelivery(change, last + deliveries.length))
          deliveries.push(later)
          // Puts those before it aside.
          if (isTaken(later)) return yield* note(now, { place: after, last: later.number }, deliveries)
          behind = after
        }
        const { failingSinceMillis = tried.atMillis } = progress
        const failing = Date.now() - failingSinceMillis >= failingMaximumMillis ? ("failing" as const) : undefined
        return yield* note(webhook, { place, last, heldUpBy: number, failingSinceMillis }, [tried], gone ?? failing)
      })

    /** Delivers for a webhook until it is disabled, or this process no longer holds it. */
    const deliverFor = (id: string) =>
      Effect.gen(function* () {
        let [readUpTo, hasRetried] = ["", false]
        while (true) {
          const webhook = yield* read(id)
          const { progress, disabled } = webhook
          if (disabled !== undefined) return
          // Takes turns with the changes in order, which many retries would hold up.
          const [due] = hasRetried ? [] : yield* webhooks.due(id, Date.now())
          const state = latest
          if (due !== undefined) yield* deliver(webhook, due)
          else if (progress.heldUpBy === undefined && readUpTo !== state) {
            const { change, place } = yield* nextAfter(webhook, progress.place)
            if (change !== undefined) yield* deliver(webhook, newDelivery(change, progress.last + 1), place)
            else if (place !== progress.place) yield* note(webhook, { ...progress, place }, [])
            if (change === undefined) readUpTo = state
          } else if (!hasRetried) yield* Effect.sleep(lookMillis)
          hasRetried = due !== undefined
        }
      }).pipe(
        Effect.catchTag("CursorExpired", () =>
          Effect.flatMap(read(id), (webhook) => note(webhook, { last: webhook.progress.last }, [], "expired")),
        ),
        Effect.tapDefect((cause) => Effect.sync(() => log(`Deliveries of webhook ${id} start again: ${Cause.pretty(cause)}`))),
        Effect.ignore,
        // Another process need not wait for the lease.
        Effect.ensuring(Effect.ignore(Effect.flatMap(read(id), (one) => webhooks.replace(one, { ...one, holder: undefined })))),
      )

    /** Whether this process holds a webhook. Takes a free one, and one whose holder has stopped, and renews its own hold. */
    const hold = (webhook: Webhook, isDelivering: boolean) => {
      const { id, holder, version, disabled } = webhook
      const known = seen.get(id)
      const { sinceMillis } = known?.version === version ? known : { sinceMillis: performance.now() }
      seen.set(id, { version, sinceMillis })
      const [renewAfter, takeAfter] = isAlone ? [Infinity, 0] : [renewMillis, leaseMillis]
      // Deliveries begin with a write. Otherwise, an endpoint would get a change at each look of a store whose disk is full.
      const ownAfter = isDelivering ? renewAfter : 0
      const isFresh = performance.now() - sinceMillis < (holder === me ? ownAfter : takeAfter)
      if (disabled !== undefined || (holder !== undefined && isFresh)) return Effect.succeed(holder === me)
      return webhooks.replace(webhook, { ...webhook, holder: me })
    }

    const fibers = yield* FiberMap.make<string>()
    const look = Effect.gen(function* () {
      const all = yield* webhooks.list
      onWebhooks(all)
      if (all.length > 0) latest = yield* changes.latest
      for (const webhook of all) {
        if (webhook.holder !== me) yield* FiberMap.remove(fibers, webhook.id)
        const isHeld = yield* hold(webhook, yield* FiberMap.has(fibers, webhook.id))
        if (isHeld) yield* FiberMap.run(fibers, webhook.id, deliverFor(webhook.id), { onlyIfMissing: true })
      }
    })
    yield* Effect.forkScoped(Effect.forever(Effect.zipRight(Effect.ignore(look), Effect.sleep(lookMillis))))
  })
