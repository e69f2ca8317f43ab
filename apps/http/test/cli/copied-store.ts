/** Stores that a service has filled, for the tests of `petstore copy`. */
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { createKey, type Environment, environmentIn, petstore } from "@petstore/harness/command"
import { serve } from "@petstore/harness/testing"
import { expect } from "vitest"

/** Names of many kinds, each of which some engine, driver or encoding might change. */
export const names = [
  "Rex", " Rex ", "", "0", "null", "true", "1e3", "-0", "'", '"', "\\", "\\N", "%", "_", "a\tb", "a\nb", "a\r\nb", "é", "e\u0301",
  "İ", "ı", "ß", "Οδυσσεύς", "Łapka", "Ægir", "мурка", "שושנה", "قطة", "मोती", "สีดา", "パパ", "咪咪", "🐶", "👨‍👩‍👧", "\u202Edneb", "\u200B",
  "\uFEFFmark", "line\u2028separator", "z".repeat(64), "O’Neill",
].filter((name) => name.length > 0) // biome-ignore format: a list of words

/** A store with gaps, orders in all states, a note, a webhook, keys in all states, repeated requests, and identifiers past 2^53. */
export const makeStore = async (folder: string) => {
  const environment = environmentIn(folder)
  await petstore(environment, "accounts", "create", "Shop")
  await petstore(environment, "accounts", "create", "Closed")
  await petstore(environment, "accounts", "disable", "Closed")
  const first = await createKey(environment, "Shop")
  await createKey(environment, "Shop", "--read-only", "--label", "till")
  await petstore(environment, "keys", "rotate", (await createKey(environment, "Shop", "--expires-in", "1h")).id)
  await petstore(environment, "keys", "revoke", (await createKey(environment, "Shop")).id)
  const service = await serve(environment)
  const send = async (method: string, path: string, body?: unknown, more: Record<string, string> = {}) => {
    const response = await fetch(`${service.baseUrl}${path}`, {
      method,
      headers: { Authorization: `Bearer ${first.key}`, "Content-Type": "application/json", ...more },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    expect(response.status, `${path}: ${await response.text()}`).toBeLessThan(300)
  }
  const statuses = ["available", "pending", "sold", undefined]
  for (const [index, name] of names.entries()) {
    await send(
      "POST",
      "/pets",
      { name, categoryId: index - 20, status: statuses[index % 4] },
      { "Idempotency-Key": `pet-${index}` },
    )
  }
  for (const petId of [1, 5, 9]) await send("POST", "/store/orders", { petId }, { "Idempotency-Key": `order-${petId}` })
  await send("PATCH", "/store/orders/3", { note: "Collects on Monday" })
  await send("POST", "/store/orders/1/complete")
  await send("POST", "/store/orders/2/cancel")
  await send("PUT", "/categories/7", { name: "Dogs" })
  for (const id of [2, 3, 38, 39]) await send("DELETE", `/pets/${id}`)
  await send("GET", "/pets/1")
  await service.stop()
  await petstore(environment, "webhooks", "add", "http://127.0.0.1:9/hook")
  const file = new DatabaseSync(join(folder, "petstore.db"))
  file.exec("INSERT INTO pets (id, name, category_id) VALUES (9007199254740993, 'Far', 9223372036854775807)")
  file.exec(
    "DELETE FROM pets WHERE id = 9007199254740993; INSERT INTO pets (id, name, category_id) VALUES (4611686018427387905, 'Near', -9223372036854775808)",
  )
  file.close()
  return { environment, key: first.key }
}

/** The settings of commands on a store. */
export const on = (url: string): Environment => environmentIn("/", { DATABASE_URL: url })

export const checksumOf = (url: string) => petstore(on(url), "checksum")
