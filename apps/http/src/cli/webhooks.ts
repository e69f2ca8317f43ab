/** `petstore webhooks`: registers endpoints of other programs, and shows what was delivered to them. */
import { text } from "node:stream/consumers"
import { createBoundedServer } from "@petstore/bounded-http"
import { verifyWebhook } from "@petstore/client"
import {
  type ChangeOperation,
  Cryptography,
  isTaken,
  randomBase62,
  type Webhook,
  type WebhookDelivery,
  WebhookRepository,
} from "@petstore/core"
import { Effect, Option } from "effect"
import { listen, originOf } from "../http/listen.js"
import { whyNotUrl } from "../webhooks/addresses.js"
import { pageOfChanges } from "./history.js"
import { columns, type OutputOptions, print } from "./output.js"
import { CommandFailed, messageOf, WrongUsage } from "./program.js"
import type { OpenStore } from "./store.js"

/** How long the former secret signs as well after a rotation, in ms. */
const rotationMillis = 86_400_000

/** 32 random bytes, in the form of Standard Webhooks. */
const newSecret = Effect.map(Cryptography, ({ randomBytes }) => `whsec_${Buffer.from(randomBytes(32)).toString("base64")}`)

/** The place behind the newest change. */
const placeNow = Effect.map(pageOfChanges({ order: "desc", after: Option.none(), limit: 1 }), ({ end }) => end)

const timeOf = (millis: number | undefined): string | null => (millis === undefined ? null : new Date(millis).toISOString())

const shown = ({ id, settings, progress, disabled }: Webhook) => ({
  id,
  url: settings.url,
  operations: settings.operations,
  createdAt: timeOf(settings.createdAtMillis),
  disabled: disabled ?? null,
  failingSince: timeOf(progress.failingSinceMillis),
})

const onceOf = (id: string, secret: string): string =>
  `The secret of webhook ${id} is shown only once. The receiver verifies with it:\n${secret}`

interface AddOptions extends OutputOptions {
  readonly operations?: ReadonlyArray<ChangeOperation>
}

export const webhooksAdd = (open: OpenStore, url: string, { operations = [], ...options }: AddOptions) =>
  open(function* (config) {
    const why = whyNotUrl(config, url)
    if (why !== undefined) return yield* new WrongUsage({ reason: `${JSON.stringify(url)}: ${why}.` })
    const { randomBytes } = yield* Cryptography
    const id = `wh_${randomBase62(16, randomBytes)}`
    const secret = yield* newSecret
    const settings = { url: new URL(url).href, operations, secret, createdAtMillis: Date.now() }
    const progress = { place: yield* placeNow, last: 0 }
    yield* (yield* WebhookRepository).insert({ id, settings, progress, version: 1 })
    print(options, { id, url: settings.url, operations, secret }, onceOf(id, secret))
  })

const find = (id: string) =>
  Effect.gen(function* () {
    const webhook = (yield* (yield* WebhookRepository).list).find((one) => one.id === id)
    if (webhook !== undefined) return webhook
    const reason = `There is no webhook with the identifier ${JSON.stringify(id)}. List them: petstore webhooks list`
    return yield* new CommandFailed({ reason })
  })

type Deliveries = ReadonlyArray<WebhookDelivery>

/** Changes a webhook and its deliveries, or fails with the reason that `change` gives. While deliveries go on, it may try again. */
const changeWebhook = (id: string, change: (webhook: Webhook, kept: Deliveries) => readonly [Webhook, Deliveries?] | string) =>
  Effect.gen(function* () {
    const { replace, deliveries } = yield* WebhookRepository
    while (true) {
      const webhook = yield* find(id)
      const changed = change(webhook, yield* deliveries(id))
      if (typeof changed === "string") return yield* new CommandFailed({ reason: changed })
      if (yield* replace(webhook, ...changed)) return
    }
  })

export const webhooksList = (open: OpenStore, options: OutputOptions) =>
  open(function* () {
    const webhooks = (yield* (yield* WebhookRepository).list).map(shown)
    const rows = webhooks.map(({ id, url, operations, disabled, failingSince }) => {
      const state = disabled === null ? "enabled" : `disabled (${disabled})`
      return [id, state, failingSince ?? "-", operations.join(",") || "all", url]
    })
    print(options, webhooks, columns(["ID", "STATE", "FAILING SINCE", "OPERATIONS", "URL"], rows))
  })

export const webhooksDisable = (open: OpenStore, id: string, options: OutputOptions) =>
  open(function* () {
    yield* changeWebhook(id, (webhook) => [{ ...webhook, disabled: "operator" }])
    print(options, { id, disabled: "operator" }, `Webhook ${id} is disabled. Its changes wait: petstore webhooks enable ${id}`)
  })

export const webhooksEnable = (open: OpenStore, id: string, { from, ...options }: OutputOptions & { readonly from?: "now" }) =>
  open(function* () {
    const now = from === "now" ? yield* placeNow : undefined
    const nextAtMillis = now === undefined ? Date.now() : undefined
    yield* changeWebhook(id, ({ progress: { place, last, heldUpBy }, ...webhook }, kept) => {
      // After `expired`, the oldest kept change is next.
      const progress = now === undefined ? { place, last, heldUpBy } : { place: now, last }
      const waiting = kept.filter((delivery) => delivery.nextAtMillis !== undefined)
      // A holder in the middle of a try would set its place.
      return [{ ...webhook, progress, holder: undefined, disabled: undefined }, waiting.map((one) => ({ ...one, nextAtMillis }))]
    })
    const where = from === "now" ? "from the next change on" : "where it stopped"
    print(options, { id, disabled: null }, `Webhook ${id} is enabled, and goes on ${where}.`)
  })

export const webhooksRotate = (open: OpenStore, id: string, options: OutputOptions) =>
  open(function* () {
    const secret = yield* newSecret
    const untilMillis = Date.now() + rotationMillis
    yield* changeWebhook(id, ({ settings, ...webhook }) => [
      { ...webhook, settings: { ...settings, secret, former: { secret: settings.secret, untilMillis } } },
    ])
    print(options, { id, secret }, `For 24 hours, the former secret signs as well.\n${onceOf(id, secret)}`)
  })

export const webhooksRemove = (open: OpenStore, id: string, options: OutputOptions) =>
  open(function* () {
    yield* find(id)
    yield* (yield* WebhookRepository).remove(id)
    print(options, { id, removed: true }, `Webhook ${id} was removed, with its deliveries.`)
  })

const outcomeOf = (delivery: WebhookDelivery): string => {
  if (delivery.nextAtMillis !== undefined) return "waiting"
  return isTaken(delivery) ? "delivered" : "given up"
}

export const webhooksDeliveries = (open: OpenStore, id: string, options: OutputOptions) =>
  open(function* () {
    yield* find(id)
    const kept = yield* (yield* WebhookRepository).deliveries(id)
    const deliveries = kept.map((delivery) => ({
      change: delivery.changeId,
      outcome: outcomeOf(delivery),
      status: delivery.status === 0 ? null : delivery.status,
      at: timeOf(delivery.atMillis),
      tries: delivery.tries,
      nextTryAt: timeOf(delivery.nextAtMillis),
    }))
    const rows = deliveries.map(({ at, outcome, status, tries, nextTryAt, change }) => [
      ...[at ?? "-", outcome, String(status ?? "no response"), String(tries), nextTryAt ?? "-", change],
    ])
    print(options, deliveries, columns(["LAST TRY", "OUTCOME", "STATUS", "TRIES", "NEXT TRY", "CHANGE"], rows))
  })

export const webhooksRedeliver = (open: OpenStore, id: string, change: string, options: OutputOptions) =>
  open(function* () {
    yield* changeWebhook(id, (webhook, kept) => {
      const delivery = kept.find(({ changeId }) => changeId === change)
      if (webhook.disabled !== undefined) return `Webhook ${id} is disabled. Enable it first: petstore webhooks enable ${id}`
      if (delivery !== undefined) return [webhook, [{ ...delivery, nextAtMillis: Date.now() }]]
      return `Webhook ${id} has no delivery of the change ${JSON.stringify(change)}. List them: petstore webhooks deliveries ${id}`
    })
    print(options, { id, change }, `The running service delivers the change ${change} to webhook ${id} again.`)
  })

/** A receiver on loopback, for trying out: prints deliveries. Serves until a stop signal ends the process. */
export const webhooksListen = ({ secret, port = 3002 }: { readonly secret: string; readonly port?: number }) =>
  Effect.gen(function* () {
    const server = createBoundedServer(async (request, response) => {
      const payload = await text(request).catch(messageOf)
      const verified = await verifyWebhook(payload, request.headers, secret).catch(messageOf)
      const isVerified = typeof verified === "object"
      response.writeHead(isVerified ? 204 : 400).end()
      const line = isVerified ? `verified  ${verified.data.at.toISOString()}  ${verified.type}  ${verified.data.id}` : verified
      print({}, undefined, `${line}\n${payload}`)
    })
    const address = yield* listen(server, "127.0.0.1", port, "--port")
    print({}, undefined, `Receiving webhooks at ${originOf(address)}/ until Ctrl-C.`)
    yield* Effect.never
  })
