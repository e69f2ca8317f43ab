/** SQL that deletes a store's content in either database, but keeps the schema. */
export const deleteEverything = `
  ${["orders", "pets", "idempotency_keys", "deprecated_calls", "api_keys", "accounts", "categories"].map((table) => `DELETE FROM ${table};`).join(" ")}
  UPDATE inventory SET pets = 0
`
