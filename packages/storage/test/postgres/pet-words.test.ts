import { expect, it } from "vitest"
import { serveUntil, sql, withStore } from "../postgres-store.js"

it("a start corrects the words of names that SQL has added and changed by hand", () =>
  withStore(async (_, url) => {
    await sql(
      url,
      "INSERT INTO pets (name, category_id, words) SELECT 'Mr. O''Pet-' || n, 1, 'mr opet ' || n FROM generate_series(1, 12000) n",
    )
    await sql(url, "UPDATE pets SET name = CASE id WHEN 3 THEN 'Élan' ELSE 'Rex' END WHERE id IN (3, 11000)")
    await sql(url, "INSERT INTO pets (id, name, category_id) VALUES (-1, '-', 1), (12001, 'Zoë', 1)")
    const wrong = () => sql(url, "SELECT id, words FROM pets WHERE words IS DISTINCT FROM 'mr opet ' || id ORDER BY id")
    const corrected = [
      { id: "-1", words: "" },
      { id: "3", words: "elan" },
      { id: "11000", words: "rex" },
      { id: "12001", words: "zoe" },
    ]
    await serveUntil(url, () => expect.poll(wrong, { timeout: 20_000 }).toStrictEqual(corrected))
    // The next start compares again.
    await sql(url, "UPDATE pets SET name = 'Mia' WHERE id = 3")
    await serveUntil(url, () =>
      expect.poll(() => sql(url, "SELECT words FROM pets WHERE id = 3"), { timeout: 20_000 }).toStrictEqual([{ words: "mia" }]),
    )
  }))
