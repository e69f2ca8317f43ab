import { expect, it } from "vitest"
import { serveUntil, sql, withStore } from "../postgres-store.js"

it("a serving process updates the keys of names that manual SQL has changed", () =>
  withStore(async (_, url) => {
    await sql(
      url,
      "INSERT INTO pets (name, category_id, search_key) SELECT 'Pet ' || n, 1, 'pet ' || n FROM generate_series(1, 12000) n",
    )
    await sql(url, "UPDATE pets SET name = CASE id WHEN 3 THEN 'Élan' ELSE 'Rex' END WHERE id IN (3, 11000)")
    // A non-ASCII name with its correct key.
    await sql(url, "UPDATE pets SET name = 'Zoë', search_key = 'zoe' WHERE id = 4")
    const keys = () => sql(url, "SELECT id, search_key FROM pets WHERE id IN (3, 4, 11000) ORDER BY id")
    await serveUntil(url, () =>
      expect.poll(keys, { timeout: 20_000 }).toStrictEqual([
        { id: "3", search_key: "elan" },
        { id: "4", search_key: "zoe" },
        { id: "11000", search_key: "rex" },
      ]),
    )
  }))
