/** `petstore webhooks`: registers endpoints of other programs, and shows what was delivered to them. */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { text } from "node:stream/consumers"
import { verifyWebhook } from "@petstore/client"
import {
  type ChangeOperation,
  ChangeRepository,
  Cryptography,
  deliveriesKept,
  randomBase62,
  rotated,
  type Webhook,
  type WebhookDelivery,
  WebhookRepository,
} from "@petstore/core"
import { Effect, Option } from "effect"
import { whyNotUrl } from "../webhooks/addresses.js"
import { failed } from "./history.js"
import { columns, type OutputOptions, print, writeOut } from "./output.js"
import { CommandFailed, WrongUsage } from "./program.js"
import type { OpenStore } from "./store.js"

const secretBytes = 32

const newSecret = Effect.map(
  Cryptography,
  ({ randomBytes }) => `whsec_${Buffer.from(randomBytes(secretBytes)).toString("base64")}`,
)

/** The place behind the newest change. */
const placeNow = Effect.gen(function* () {
  const { list } = yield* ChangeRepository
  return (yield* Effect.catchTag(list({ order: "desc", after: Option.none(), limit: 1 }), "CursorExpired", failed)).end
})

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

/** Changes a webhook, and returns what it was. Fails if it does not exist. While deliveries go on, it can take more than one attempt. */
const changeWebhook = (id: string, change: (webhook: Webhook) => Webhook) =>
  Effect.gen(function* () {
    const seen = yield* find(id)
    return (yield* (yield* WebhookRepository).replace(seen, change(seen))) ? seen : undefined
  }).pipe(Effect.repeat({ until: (seen) => seen !== undefined }))

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
    yield* changeWebhook(id, ({ holder: _, ...webhook }) => ({ ...webhook, disabled: "operator" }))
    print(options, { id, disabled: "operator" }, `Webhook ${id} is disabled. Its changes wait: petstore webhooks enable ${id}`)
  })

interface EnableOptions extends OutputOptions {
  readonly from?: "now"
}

export const webhooksEnable = (open: OpenStore, id: string, { from, ...options }: EnableOptions) =>
  open(function* () {
    const now = from === "now" ? yield* placeNow : undefined
    const seen = yield* changeWebhook(id, ({ holder: _, disabled: __, progress: { place, last, heldUpBy }, ...webhook }) => ({
      ...webhook,
      // After `expired`, the oldest kept change is next.
      progress: now === undefined ? { place, last, heldUpBy } : { place: now, last },
    }))
    // Those after it are newer than `now`.
    const { last } = seen.progress
    yield* (yield* WebhookRepository).retime(id, { upTo: last }, now === undefined ? Date.now() : undefined)
    const where = from === "now" ? "from the next change on" : "where it stopped"
    print(options, { id, disabled: null }, `Webhook ${id} is enabled, and goes on ${where}.`)
  })

export const webhooksRotate = (open: OpenStore, id: string, options: OutputOptions) =>
  open(function* () {
    const secret = yield* newSecret
    yield* changeWebhook(id, (webhook) => ({ ...webhook, settings: rotated(webhook.settings, secret, Date.now()) }))
    print(options, { id, secret }, `For 24 hours, the former secret signs as well.\n${onceOf(id, secret)}`)
  })

export const webhooksRemove = (open: OpenStore, id: string, options: OutputOptions) =>
  open(function* () {
    yield* find(id)
    yield* (yield* WebhookRepository).remove(id)
    print(options, { id, removed: true }, `Webhook ${id} was removed, with its deliveries.`)
  })

const outcomeOf = ({ status, nextAtMillis }: WebhookDelivery): string => {
  if (nextAtMillis !== undefined) return "waiting"
  return status >= 200 && status < 300 ? "delivered" : "given up"
}

export const webhooksDeliveries = (open: OpenStore, id: string, options: OutputOptions) =>
  open(function* () {
    yield* find(id)
    const kept = yield* (yield* WebhookRepository).deliveries(id)
    const listed = kept.filter(({ nextAtMillis }, index) => index < deliveriesKept || nextAtMillis !== undefined)
    const deliveries = listed.map((delivery) => ({
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
    const { disabled } = yield* find(id)
    if (disabled !== undefined) {
      return yield* new CommandFailed({ reason: `Webhook ${id} is disabled. Enable it first: petstore webhooks enable ${id}` })
    }
    if (!(yield* (yield* WebhookRepository).retime(id, { changeId: change }, Date.now()))) {
      const reason = `Webhook ${id} has no delivery of the change ${JSON.stringify(change)}. List them: petstore webhooks deliveries ${id}`
      return yield* new CommandFailed({ reason })
    }
    print(options, { id, change }, `The running service delivers the change ${change} to webhook ${id} again.`)
  })

/** Receives one delivery, prints it, and responds. */
const receive = async (request: IncomingMessage, response: ServerResponse, secret: string): Promise<void> => {
  const payload = await text(request)
  try {
    const { type, data } = await verifyWebhook(payload, request.headers, secret)
    response.writeHead(204).end()
    await writeOut(`verified  ${data.at.toISOString()}  ${type}  ${data.id}\n${payload}\n`)
  } catch (thrown) {
    response.writeHead(400).end()
    await writeOut(`${thrown instanceof Error ? thrown.message : thrown}\n${payload}\n`)
  }
}

/** A receiver on loopback, for trying out. Serves until a stop signal ends the process. */
export const webhooksListen = ({ secret, port = 3002 }: { readonly secret: string; readonly port?: number }) =>
  Effect.async<void, CommandFailed>((resume) => {
    const server = createServer((request, response) => {
      receive(request, response, secret).catch(() => response.destroy())
    })
    server.on("error", ({ message }) => resume(new CommandFailed({ reason: `Cannot listen: ${message}.` })))
    server.listen({ host: "127.0.0.1", port }, () => {
      const address = server.address()
      const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : port}/`
      process.stdout.write(`Receiving webhooks at ${url} until Ctrl-C.\n`)
    })
  })
