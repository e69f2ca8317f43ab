import { expect, it } from "vitest"
import { newSpreadDatabase } from "./citus-store.js"
import { serveUntil, sql } from "./postgres-store.js"

it("a start corrects the words of names that SQL has written by hand, on every node", async () => {
  const url = await newSpreadDatabase()
  await sql(url, "INSERT INTO pets (name, category_id) SELECT 'Bello ' || n, 1 FROM generate_series(1, 2500) n")
  const wrong = async () => (await sql(url, "SELECT 1 FROM pets WHERE words IS DISTINCT FROM lower(name)")).length
  await serveUntil(url, () => expect.poll(wrong, { timeout: 20_000 }).toBe(0))
})
