/** SQL for SQLite and PostgreSQL that deletes a store's content, but keeps the schema. */
export const deleteEverything = `${["orders", "pets", "idempotency_keys", "deprecated_calls", "api_keys", "accounts", "categories", "webhooks", "webhook_deliveries"].map((table) => `DELETE FROM ${table};`).join(" ")}`
