/**
 * The catalogue on your own repository.
 *
 * Prints:
 *     { ok: true, value: { name: 'Bello', id: 1n, categoryId: 7n } }
 *     { ok: true, value: { items: [ [Object] ] } }
 */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { openCatalogue } from "@petstore/core/promise"
import { openJsonLines } from "./json-lines.ts"

const folder = await mkdtemp(join(tmpdir(), "own-repository-"))
const catalogue = await openCatalogue(() => openJsonLines(join(folder, "pets.jsonl")))

console.log(await catalogue.createPet({ name: "Bello", categoryId: 7n }))
console.log(await catalogue.listPets({ limit: 10 }))

await catalogue.close()
await rm(folder, { recursive: true })
