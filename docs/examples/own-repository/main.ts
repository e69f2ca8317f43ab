/**
 * The catalogue on a repository of your own.
 *
 * Prints:
 *     { ok: true, value: { name: 'Bello', id: 1n, categoryId: 7n } }
 *     { ok: true, value: { items: [ [Object] ] } }
 */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { openInventory, promisePetRepository } from "@petstore/core/promise"
import { openJsonLines } from "./json-lines.ts"

const folder = await mkdtemp(join(tmpdir(), "own-repository-"))
const inventory = await openInventory(promisePetRepository(() => openJsonLines(join(folder, "pets.jsonl"))))

console.log(await inventory.createPet({ name: "Bello", categoryId: 7n }))
console.log(await inventory.listPets({ limit: 10 }))

await inventory.close()
await rm(folder, { recursive: true })
