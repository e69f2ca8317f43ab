/** The adapter passes the port's contract suite, reopens its file, and ignores an incomplete line. */
import { appendFile, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisePetRepository } from "@petstore/core/layer"
import { openCatalogue } from "@petstore/core/promise"
import { petRepositoryContract } from "@petstore/core/testing"
import { afterAll, beforeAll, expect, it } from "vitest"
import { openJsonLines } from "./json-lines.ts"

let folder: string
let files = 0
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "json-lines-"))
})
afterAll(() => rm(folder, { recursive: true }))

const newFile = (): string => {
  files += 1
  return join(folder, `${files}.jsonl`)
}

petRepositoryContract(
  "a JSON Lines file",
  promisePetRepository(() => openJsonLines(newFile())),
  {
    lasting: () => {
      const path = newFile()
      return promisePetRepository(() => openJsonLines(path))
    },
  },
)

it("the adapter finds every pet when the file is reopened, and ignores an incomplete line", async () => {
  const path = newFile()
  const bello = { name: "Bello", categoryId: 9007199254740993n, status: "sold" } as const
  for (const id of [1n, 2n, 3n]) {
    const catalogue = await openCatalogue(() => openJsonLines(path))
    expect(await catalogue.createPet(bello)).toStrictEqual({ ok: true, value: { id, ...bello } })
    expect(await catalogue.listPets()).toMatchObject({ ok: true, value: { items: { length: Number(id) } } })
    await catalogue.close()
    await appendFile(path, '{"pets":[{"id":"99","na')
  }
})
