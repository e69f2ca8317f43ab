import { type Webhook, type WebhookDelivery, WebhookRepository } from "@petstore/core"
import * as Effect from "effect/Effect"
import type { AppValue } from "../app-table.js"
import { webhookColumns, webhookDeliveryColumns, webhookDeliveryOfRow, webhookOfRow } from "../rows.js"
import { allOf, type BoundStatement, type Rows, type Tables } from "./tables.js"

const stateOf = ({ settings, progress, disabled, holder }: Webhook): ReadonlyArray<AppValue> => [
  JSON.stringify(settings),
  JSON.stringify(progress),
  disabled ?? null,
  holder ?? null,
]

const storeDeliveries = (id: string, deliveries: ReadonlyArray<WebhookDelivery>): BoundStatement => [
  `INSERT INTO webhook_deliveries (webhook_id, ${webhookDeliveryColumns}) VALUES ${deliveries.map(() => "(?, ?, ?, ?, ?, ?, ?, ?)").join()}
    ON CONFLICT (webhook_id, number) DO UPDATE SET
      tries = excluded.tries, status = excluded.status, at = excluded.at, next_at = excluded.next_at`,
  deliveries.flatMap((delivery) => {
    const { number, changeId, payload, tries, status, atMillis, nextAtMillis = null } = delivery
    return [id, number, changeId, payload, tries, status, atMillis, nextAtMillis]
  }),
]

const isAny = (rows: Rows): boolean => rows.length > 0

const selectDeliveries = `SELECT ${webhookDeliveryColumns} FROM webhook_deliveries WHERE webhook_id = ?`

export const webhookRepository = ({ read, write, writeBoth }: Tables) =>
  WebhookRepository.of({
    insert: (webhook) => {
      const sql = `INSERT INTO webhooks (${webhookColumns}) VALUES (?, ?, ?, ?, ?, ?)`
      return Effect.asVoid(write(sql, [webhook.id, ...stateOf(webhook), webhook.version]))
    },

    list: allOf(read(`SELECT ${webhookColumns} FROM webhooks ORDER BY id`), webhookOfRow),

    replace: ({ id, version }, next) => {
      const sql = `UPDATE webhooks SET settings = ?, progress = ?, disabled = ?, holder = ?, version = version + 1
        WHERE id = ? AND version = ? RETURNING id`
      return Effect.map(write(sql, [...stateOf(next), id, version]), isAny)
    },

    remove: (id) =>
      Effect.map(
        writeBoth(
          ["DELETE FROM webhooks WHERE id = ? RETURNING id", [id]],
          ["DELETE FROM webhook_deliveries WHERE webhook_id = ?", [id]],
        ),
        isAny,
      ),

    note: (id, holder, { progress, disabled, deliveries }) => {
      const first: BoundStatement = [
        "UPDATE webhooks SET progress = ?, disabled = ?, version = version + 1 WHERE id = ? AND holder = ? RETURNING id",
        [JSON.stringify(progress), disabled ?? null, id, holder],
      ]
      return Effect.map(deliveries.length === 0 ? write(...first) : writeBoth(first, storeDeliveries(id, deliveries)), isAny)
    },

    deliveries: (id) => allOf(read(`${selectDeliveries} ORDER BY number DESC`, [id]), webhookDeliveryOfRow),

    due: (id, nowMillis) =>
      allOf(read(`${selectDeliveries} AND next_at <= ? ORDER BY number LIMIT 1`, [id, nowMillis]), webhookDeliveryOfRow),

    retime: (id, meant, nextAtMillis) => {
      const [which, values] =
        "upTo" in meant
          ? ["number <= ? AND next_at IS NOT NULL", [meant.upTo]]
          : ["number = (SELECT max(number) FROM webhook_deliveries WHERE webhook_id = ? AND change_id = ?)", [id, meant.changeId]]
      const sql = `UPDATE webhook_deliveries SET next_at = ? WHERE webhook_id = ? AND ${which} RETURNING number`
      return Effect.map(write(sql, [nextAtMillis ?? null, id, ...values]), isAny)
    },

    prune: (id, number) =>
      Effect.asVoid(
        write("DELETE FROM webhook_deliveries WHERE webhook_id = ? AND number <= ? AND next_at IS NULL", [id, number]),
      ),
  })
