/** If storing a rotated key's successor fails, the former key keeps its expiry. */
import { type ApiKey, CredentialRepository } from "@petstore/core"
import { newPostgresDatabase } from "@petstore/test/postgres"
import { Effect, Option, type Scope } from "effect"
import { expect, it } from "vitest"
import type { DatabaseUrl } from "../src/database-url.js"
import { storage } from "../src/storage.js"
import { newFile } from "./sqlite-file.js"

const at = new Date("2026-01-02T03:04:05.678Z")

const key = (id: string): ApiKey => ({
  id: id,
  accountId: "acc_1",
  deployment: "staging",
  createdAt: at,
  expiresAt: Option.none(),
  revokedAt: Option.none(),
  lastUsedOn: Option.none(),
  label: Option.none(),
  readOnly: false,
})

const urls: Readonly<Record<string, Effect.Effect<DatabaseUrl, never, Scope.Scope>>> = {
  sqlite: Effect.map(newFile, (path) => ({ adapter: "sqlite", path })),
  postgres: Effect.map(
    Effect.promise(() => newPostgresDatabase()),
    (url) => ({ adapter: "postgres", url }),
  ),
}

for (const [adapter, url] of Object.entries(urls)) {
  it(`on ${adapter}, the former key's expiry does not change if the new key cannot be stored`, () =>
    Effect.runPromise(
      Effect.scoped(
        Effect.flatMap(url, (database) =>
          Effect.gen(function* () {
            const credentials = yield* CredentialRepository
            yield* credentials.insertAccount({ id: "acc_1", name: "shop", createdAt: at })
            yield* credentials.insertApiKey(key("key_1"), "one")
            yield* credentials.insertApiKey(key("key_2"), "taken")
            const exit = yield* Effect.exit(credentials.replaceApiKey("key_1", at, key("key_3"), "taken"))
            expect(exit._tag).toBe("Failure")
            expect((yield* credentials.listApiKeys).map(({ id, expiresAt }) => [id, expiresAt])).toStrictEqual([
              ["key_1", Option.none()],
              ["key_2", Option.none()],
            ])
          }).pipe(Effect.provide(storage(database, { migrate: true }))),
        ),
      ),
    ))
}
