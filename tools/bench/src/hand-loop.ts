/** A baseline: `hand-loop.ts FILE DATABASE` imports an error-free file in one transaction, without checks or reports. */
import { readFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { wordsOf } from "@petstore/core"

const [file = "", path = ""] = process.argv.slice(2)
const rowsAtOnce = 50

using database = new DatabaseSync(path)
database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; BEGIN")
const prepare = (rows: number) =>
  database.prepare(`INSERT INTO pets (name, category_id, status) VALUES ${Array(rows).fill("(?, ?, ?)").join(", ")}`)
const many = prepare(rowsAtOnce)
const one = prepare(1)
const addWords = database.prepare("INSERT INTO pet_words (words) VALUES (?)")

let values: Array<string | number | null> = []
for (const line of readFileSync(file, "utf8").split("\n")) {
  if (line === "") continue
  const { name, categoryId, status }: { name: string; categoryId: number; status?: string } = JSON.parse(line)
  values.push(name, categoryId, status ?? null)
  addWords.run(wordsOf(name).join(" "))
  if (values.length === rowsAtOnce * 3) {
    many.run(...values)
    values = []
  }
}
for (let start = 0; start < values.length; start += 3) one.run(...values.slice(start, start + 3))
database.exec("COMMIT")
