import { deliveriesKept, type Webhook, type WebhookDelivery, WebhookRepository } from "@petstore/core"
import * as Effect from "effect/Effect"
import type { AppValue } from "../app-table.js"
import { webhookColumns, webhookDeliveryColumns, webhookDeliveryOfRow, webhookOfRow } from "../rows.js"
import { allOf, type BoundStatement, type Rows, type Tables } from "./tables.js"

const stateOf = ({ settings, progress, disabled, holder }: Webhook): ReadonlyArray<AppValue> => {
  return [JSON.stringify(settings), JSON.stringify(progress), disabled ?? null, holder ?? null]
}

const storeDelivery = `INSERT INTO webhook_deliveries (webhook_id, ${webhookDeliveryColumns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (webhook_id, number) DO UPDATE SET
    tries = excluded.tries, status = excluded.status, at = excluded.at, next_at = excluded.next_at`

const valuesOf = ({ number, changeId, payload, tries, status, atMillis, nextAtMillis }: WebhookDelivery) => {
  return [number, changeId, payload, tries, status, atMillis, nextAtMillis ?? null]
}

const removeOld = `DELETE FROM webhook_deliveries
  WHERE webhook_id = ? AND number <= ? AND next_at IS NULL AND status BETWEEN 200 AND 299`

const isAny = (rows: Rows): boolean => rows.length > 0

const selectDeliveries = `SELECT ${webhookDeliveryColumns} FROM webhook_deliveries WHERE webhook_id = ?`

export const webhookRepository = ({ read, write, writeAll }: Tables) =>
  WebhookRepository.of({
    insert: (webhook) => {
      const sql = `INSERT INTO webhooks (${webhookColumns}) VALUES (?, ?, ?, ?, ?, ?)`
      return Effect.asVoid(write(sql, [webhook.id, ...stateOf(webhook), webhook.version]))
    },

    list: allOf(read(`SELECT ${webhookColumns} FROM webhooks ORDER BY id`), webhookOfRow),

    replace: ({ id, version }, next, deliveries = []) => {
      const sql = `UPDATE webhooks SET settings = ?, progress = ?, disabled = ?, holder = ?, version = version + 1
        WHERE id = ? AND version = ? RETURNING id`
      const stored = deliveries.map((delivery): BoundStatement => [storeDelivery, [id, ...valuesOf(delivery)]])
      const old: BoundStatement = [removeOld, [id, next.progress.last - deliveriesKept]]
      return Effect.map(writeAll([sql, [...stateOf(next), id, version]], ...stored, old), isAny)
    },

    remove: (id) => {
      const deliveries: BoundStatement = ["DELETE FROM webhook_deliveries WHERE webhook_id = ?", [id]]
      return Effect.map(writeAll(["DELETE FROM webhooks WHERE id = ? RETURNING id", [id]], deliveries), isAny)
    },

    deliveries: (id) => allOf(read(`${selectDeliveries} ORDER BY number DESC`, [id]), webhookDeliveryOfRow),

    due: (id, nowMillis) =>
      allOf(read(`${selectDeliveries} AND next_at <= ? ORDER BY number LIMIT 1`, [id, nowMillis]), webhookDeliveryOfRow),
  })
