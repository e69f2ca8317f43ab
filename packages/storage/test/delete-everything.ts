/** Deletes the content of a store, in either SQL database, and keeps its schema. */
export const deleteEverything = `
  ${["orders", "pets", "idempotency_keys", "deprecated_calls", "api_keys", "accounts", "categories"].map((table) => `DELETE FROM ${table};`).join(" ")}
  UPDATE inventory SET pets = 0
`
