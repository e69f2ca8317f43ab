/** A store can be opened read-only without leaving a trace, even while other processes use it. */
import { createHash } from "node:crypto"
import { chmodSync, readdirSync, readFileSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { CredentialRepository, createAccount, DeploymentRepository, PetRepository } from "@petstore/core"
import { Effect } from "effect"
import { expect } from "vitest"
import { nodeCryptography } from "../../src/node-cryptography.js"
import { storage } from "../../src/storage.js"
import { withFile } from "../sqlite-file.js"

/**
 * Every file in a folder with its content. For pipes, WAL indexes and lock tables, only the name is listed, because every reader
 * changes their content.
 */
const filesOf = (path: string): ReadonlyArray<string> =>
  readdirSync(dirname(path))
    .toSorted()
    .map((name) => {
      const file = join(dirname(path), name)
      const stat = statSync(file)
      if (!stat.isFile() || /-(?:shm|lock)$/.test(name)) return name
      return `${name} ${stat.mode} ${stat.mtimeMs} ${createHash("sha256").update(readFileSync(file)).digest("hex")}`
    })

const names = Effect.gen(function* () {
  const accounts = yield* (yield* CredentialRepository).listAccounts
  const { pets } = yield* (yield* PetRepository).search({ words: ["whi", "mr"], order: "asc", limit: 1 })
  return [...accounts, ...pets].map(({ name }) => name)
})

for (const adapter of ["sqlite", "sqljs"] as const) {
  const looked = (path: string) => Effect.provide(names, storage({ adapter, path }, { migrate: true, readOnly: true }))
  const used = (path: string) => storage({ adapter, path }, { migrate: true })
  const shop = Effect.zipRight(
    Effect.provide(createAccount("shop"), nodeCryptography),
    Effect.flatMap(PetRepository, ({ insert }) => insert({ name: "Mr. Whiskers", categoryId: 1n })),
  )

  withFile(`reading an unused ${adapter} store leaves no trace, even if the store's file is read-only`, (path) =>
    Effect.gen(function* () {
      yield* Effect.provide(shop, used(path))
      const before = filesOf(path)
      chmodSync(path, 0o400)
      // Even a temporary hard link would change the ctime.
      const changedMillis = statSync(path).ctimeMs
      expect(yield* looked(path)).toStrictEqual(["shop", "Mr. Whiskers"])
      expect(statSync(path).ctimeMs).toBe(changedMillis)
      chmodSync(path, 0o600)
      expect(filesOf(path)).toStrictEqual(before)
    }),
  )

  withFile(`reading a ${adapter} store that a service has open returns the current state, and leaves no trace`, (path) =>
    Effect.gen(function* () {
      yield* Effect.provide(
        Effect.gen(function* () {
          yield* shop
          const before = filesOf(path)
          expect(yield* looked(path)).toStrictEqual(["shop", "Mr. Whiskers"])
          expect(filesOf(path)).toStrictEqual(before)
        }),
        used(path),
      )
    }),
  )

  withFile(`a ${adapter} store opened read-only refuses writes, and is not created if missing`, (path) =>
    Effect.gen(function* () {
      expect(yield* Effect.flip(looked(path))).toMatchObject({ isMissing: true })
      expect(filesOf(path)).toStrictEqual([])
      yield* Effect.provide(shop, used(path))
      const claim = Effect.flatMap(DeploymentRepository, (repository) => repository.claim("staging"))
      const refused = Effect.provide(claim, storage({ adapter, path }, { migrate: true, readOnly: true }))
      expect((yield* Effect.exit(refused))._tag).toBe("Failure")
    }),
  )
}
