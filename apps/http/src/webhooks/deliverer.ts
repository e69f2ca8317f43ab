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
  afterFailure,
  afterSuccess,
  type Change,
  ChangeRepository,
  deliveriesKept,
  encodeWebhookPayload,
  hasFailedForLong,
  isGivenUp,
  nextTryMillis,
  triesInOrder,
  type Webhook,
  type WebhookDelivery,
  type WebhookDisabled,
  type WebhookNote,
  type WebhookProgress,
  WebhookRepository,
  type WebhookSettings,
} from "@petstore/core"
import { Cause, Effect, FiberMap, Option } from "effect"
import type { AddressRules } from "./addresses.js"
import { deliveryMillis, send, type Tried } from "./send.js"

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

const isTaken = ({ status }: Tried): boolean => status >= 200 && status < 300

const whyDisabled: Readonly<Record<Exclude<WebhookDisabled, "operator">, string>> = {
  gone: "its endpoint responded with 410",
  failing: "its endpoint has taken nothing for five days",
  expired: "changes that it has not got are no longer kept, or the store was replaced",
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

    /** What a delivery of one webhook needs. The loop ends if the process no longer holds the webhook. */
    const deliverFor = ({ id, progress: started }: Webhook) =>
      Effect.gen(function* () {
        let progress = started
        let place = progress.place
        let [readFrom, notedAtMillis] = ["", performance.now()]
        let hasRetried = false

        const settingsNow = (): WebhookSettings | undefined => {
          const webhook = known.get(id)
          return webhook?.holder === me && webhook.disabled === undefined ? webhook.settings : undefined
        }

        const tryOnce = (settings: WebhookSettings, delivery: { readonly changeId: string; readonly payload: string }) =>
          Effect.map(
            Effect.promise((signal) => send(rules, settings, delivery, signal)),
            (tried) => {
              count(isTaken(tried) ? "delivered" : "failed")
              return tried
            },
          )

        /** Whether the outcome was stored, which fails for a former holder. */
        const note = (outcome: WebhookNote) =>
          Effect.gen(function* () {
            const isNoted = yield* webhooks.note(id, me, outcome)
            if (!isNoted) return false
            progress = outcome.progress
            notedAtMillis = performance.now()
            const { disabled } = outcome
            if (disabled !== undefined && disabled !== "operator") {
              log(`Webhook ${id} is disabled, because ${whyDisabled[disabled]}. To go on: petstore webhooks enable ${id}`)
            }
            const { last } = progress
            if (outcome.deliveries.length > 0 && last % pruneEvery === 0) yield* webhooks.prune(id, last - deliveriesKept)
            return disabled === undefined
          })

        /** The next change that the webhook wants, and the place behind it or behind those that it does not want. */
        const nextAfter = (from: string | undefined, { operations }: WebhookSettings) =>
          Effect.gen(function* () {
            const isWanted = ({ operation }: Change) => operations.length === 0 || operations.includes(operation)
            for (let after = from; ; ) {
              const page = (limit: number) => changes.list({ order: "asc", after: Option.fromNullable(after), limit })
              const limit = operations.length === 0 ? 1 : pageLimit
              const { changes: found, next } = yield* page(limit)
              const index = found.findIndex(isWanted)
              const change = found[index]
              if (change === undefined) {
                after = next
                if (found.length < limit) return { place: after }
                continue
              }
              if (index === found.length - 1) return { change, place: next }
              // Pages of PostgreSQL may merge in another order once there are more changes.
              const exact = yield* page(index + 1)
              if (exact.changes.at(-1)?.id === change.id) return { change, place: exact.next }
            }
          })

        const deliveryOf = (change: Change, tries: number, { status }: Tried): WebhookDelivery => {
          progress = { ...progress, last: progress.last + 1 }
          const payload = encodeWebhookPayload(change)
          return { number: progress.last, changeId: change.id, payload, tries, status, atMillis: Date.now() }
        }

        /** Tries a change that was put aside, or that the operator delivers again. */
        const retry = (settings: WebhookSettings, { nextAtMillis: _, ...delivery }: WebhookDelivery) =>
          Effect.gen(function* () {
            const tried = yield* tryOnce(settings, delivery)
            const [tries, atMillis] = [delivery.tries + 1, Date.now()]
            const outcome = { ...delivery, tries, status: tried.status, atMillis }
            const { failingSinceMillis, ...taking } = progress
            if (isTaken(tried)) return yield* note({ progress: taking, deliveries: [outcome] })
            const disabled = tried.status === 410 ? ("gone" as const) : undefined
            // While the endpoint takes nothing, nothing is given up.
            if (isGivenUp(tries) && failingSinceMillis === undefined) {
              count("given_up")
              log(
                `Webhook ${id} did not take change ${delivery.changeId} in ${tries} tries. To try again: petstore webhooks redeliver ${id} ${delivery.changeId}`,
              )
              return yield* note({ progress, disabled, deliveries: [outcome] })
            }
            const nextAtMillis = nextTryMillis(tries, atMillis, Math.random(), tried.retryAfterMillis)
            return yield* note({ progress, disabled, deliveries: [{ ...outcome, nextAtMillis }] })
          })

        /** Tries later changes. If the endpoint takes one, those before it are put aside. */
        const probe = (
          settings: WebhookSettings,
          failed: WebhookProgress,
          oldest: Change,
          oldestTried: Tried,
          behind: string | undefined,
        ) =>
          Effect.gen(function* () {
            const refused: Array<readonly [Change, tries: number, Tried]> = [[oldest, failed.tries, oldestTried]]
            for (let from = behind; refused.length <= probes; ) {
              const { change, place: behindIt } = yield* nextAfter(from, settings)
              if (change === undefined) return undefined
              const tried = yield* tryOnce(settings, { changeId: change.id, payload: encodeWebhookPayload(change) })
              if (isTaken(tried)) {
                const aside = refused.map(([one, tries, response]) => ({
                  ...deliveryOf(one, tries, response),
                  nextAtMillis: nextTryMillis(tries, Date.now(), Math.random(), response.retryAfterMillis),
                }))
                const deliveries = [...aside, deliveryOf(change, 1, tried)]
                return { place: behindIt, deliveries }
              }
              refused.push([change, 1, tried])
              from = behindIt
            }
            return undefined
          })

        const deliver = (settings: WebhookSettings, change: Change, behind: string | undefined) =>
          Effect.gen(function* () {
            const tried = yield* tryOnce(settings, { changeId: change.id, payload: encodeWebhookPayload(change) })
            if (isTaken(tried)) {
              const delivery = deliveryOf(change, progress.tries + 1, tried)
              place = behind
              return yield* note({ progress: { ...afterSuccess(progress), place }, deliveries: [delivery] })
            }
            const failed = afterFailure(progress, Date.now(), Math.random(), tried.retryAfterMillis)
            if (tried.status === 410) return yield* note({ progress: failed, disabled: "gone", deliveries: [] })
            const mayProbe = failed.tries >= triesInOrder && tried.retryAfterMillis === undefined
            const taken = mayProbe ? yield* probe(settings, failed, change, tried, behind) : undefined
            if (taken !== undefined) {
              place = taken.place
              return yield* note({ progress: { ...afterSuccess(progress), place }, deliveries: taken.deliveries })
            }
            const disabled = hasFailedForLong(failed, Date.now()) ? ("failing" as const) : undefined
            return yield* note({ progress: failed, disabled, deliveries: [] })
          })

        /** Does what is next. Returns whether there was something, or `undefined` if the process must not go on. */
        const step = Effect.gen(function* () {
          const settings = settingsNow()
          if (settings === undefined) return undefined
          // Takes turns with the changes in order, which many retries would hold up.
          const [due] = hasRetried ? [] : yield* webhooks.due(id, Date.now())
          hasRetried = due !== undefined
          if (due !== undefined) return (yield* retry(settings, due)) || undefined
          if (readFrom === latest || (progress.nextAtMillis ?? 0) > Date.now()) return false
          const state = latest
          const { change, place: behind } = yield* nextAfter(place, settings)
          if (change !== undefined) return (yield* deliver(settings, change, behind)) || undefined
          readFrom = state
          place = behind
          const hasSkipped = place !== progress.place && performance.now() - notedAtMillis >= skipMillis
          return hasSkipped && !(yield* note({ progress: { ...progress, place }, deliveries: [] })) ? undefined : false
        })

        for (;;) {
          if (!isAlone && performance.now() - renewedAtMillis >= leaseMillis) return
          const isBusy = yield* Effect.catchTag(step, "CursorExpired", () =>
            Effect.as(note({ progress: { last: progress.last, tries: 0 }, disabled: "expired", deliveries: [] }), undefined),
          )
          if (isBusy === undefined) return
          if (!isBusy) yield* Effect.sleep(lookMillis)
        }
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
          ({ holder: _, ...free }) => webhooks.replace({ ...free }, free),
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
      const isHolding = all.some(({ holder }) => holder === me)
      if (!isAlone && isHolding && startedAtMillis - renewedAtMillis >= renewMillis) {
        yield* webhooks.renew(me)
        renewedAtMillis = startedAtMillis
      }
      if (!isHolding) renewedAtMillis = startedAtMillis
      latest = yield* changes.latest
      for (const [id] of fibers) if (known.get(id)?.holder !== me) yield* FiberMap.remove(fibers, id)
      for (const webhook of all) {
        if (yield* FiberMap.has(fibers, webhook.id)) continue
        if (yield* take(webhook)) yield* FiberMap.run(fibers, webhook.id, deliverFor(webhook))
      }
    })
    yield* Effect.forkScoped(Effect.forever(Effect.zipRight(Effect.ignore(look), Effect.sleep(lookMillis))))
  })
