/** Tests how database URLs are decoded, and how stores open, fail to open and close. */
import { mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { PetRepository, Readiness } from "@petstore/core"
import { Effect, Either } from "effect"
import { describe, expect, it } from "vitest"
import { decodeDatabaseUrl, isEphemeral } from "../src/database-url.js"
import type { Repositories } from "../src/repositories.js"
import { StorageNotOpened } from "../src/storage-not-opened.js"
import { adapters } from "./adapters.js"
import { storeIn, withFile } from "./sqlite-file.js"

const insertBello = Effect.flatMap(PetRepository, (pets) => pets.insert({ name: "Bello", categoryId: 1n }))

describe("decodeDatabaseUrl", () => {
  it.each([
    ["memory:", { adapter: "memory" }, true],
    ["sqlite::memory:", { adapter: "sqlite", path: ":memory:" }, true],
    ["sqlite:./data/petstore.db", { adapter: "sqlite", path: "./data/petstore.db" }, false],
    ["sqlite:/var/lib/a b:c?d#e%20.db", { adapter: "sqlite", path: "/var/lib/a b:c?d#e%20.db" }, false],
    ...[
      "postgres://ann:p@ss@db/pets",
      "postgresql://ann:p%40%2F%25ss@db:5432/pets?application_name=a@b",
      "postgres:///pets?user=a@b",
    ].map((url) => [url, { adapter: "postgres", url }, false] as const),
  ] as const)("reads %s", (url, decoded, ephemeral) => {
    expect(decodeDatabaseUrl(url)).toStrictEqual(Either.right(decoded))
    expect(isEphemeral(decoded)).toBe(ephemeral)
  })

  it.each(
    ["", "sqlite:", "sqlite", "memory", "memory:x", "SQLITE:x", " memory:", "mysql://localhost/pets", "./petstore.db"].concat([
      "sqlite://./petstore.db",
      "sqljs:///srv/petstore.db",
      "sqlite:./petstore.db ",
      "sqlite:./petstore.db\r",
      "postgres:ann:hush@db/pets",
      "postgres://ann:p@ss#w/rd%@db/pets",
      "postgres://ann:p/ss@db/pets",
      "postgres://ann:5?ss@db/pets",
      "postgres://ann?ss@db/pets",
      "postgres://ann:10%@db/pets",
      "postgres://ann:hush@db/pets ",
      ...[
        ...[
          "ssl_mode=require",
          "ssl=true",
          "sslmode=bogus",
          "sslmode=",
          "sslmode=allow",
          "connect_timeout=5",
          "PGSSLMODE=require",
        ],
        ...["sslmode=disable&sslmode=require", "sslmode=verify-ca", "sslmode=verify-ca&sslrootcert=system"],
        ...["sslmode=require&sslrootcert=system", "sslrootcert=/ca.pem", "sslmode=prefer&sslrootcert=/ca.pem", "sslcert=/c.pem"],
      ].map((parameters) => `postgres://ann:hush@db/pets?${parameters}`),
    ]),
  )("refuses %j", (url) => {
    expect(Either.flip(decodeDatabaseUrl(url))).toMatchObject({
      right: { reason: expect.stringMatching(/^Not a database URL/) },
    })
  })
})

describe("storage", () => {
  for (const { name, empty } of adapters) {
    it(`is ready when it opens: ${name}`, () =>
      Effect.runPromise(
        Effect.provide(
          Effect.flatMap(Readiness, ({ check }) => check),
          empty,
        ),
      ))
  }

  withFile("creates the file, and the folders above it", (path) =>
    Effect.gen(function* () {
      const deep = join(dirname(path), "not", "there", "yet", "petstore.db")
      expect((yield* Effect.provide(insertBello, storeIn(deep))).name).toBe("Bello")
    }),
  )

  withFile("leaves only the store's file and lock file when it closes", (path) =>
    Effect.gen(function* () {
      yield* Effect.provide(insertBello, storeIn(path))
      expect(readdirSync(dirname(path))).toStrictEqual(["petstore.db", "petstore.db-users"])
    }),
  )

  const unusable: ReadonlyArray<readonly [string, (path: string) => string]> = [
    [
      "a folder",
      (path) => {
        mkdirSync(path)
        return path
      },
    ],
    [
      "a file that is not a database",
      (path) => {
        writeFileSync(path, "This is not a database, and it is longer than the header of one would be.\n".repeat(20))
        return path
      },
    ],
    [
      "a path below a file",
      (path) => {
        writeFileSync(path, "")
        return join(path, "petstore.db")
      },
    ],
  ]
  for (const [what, make] of unusable) {
    withFile(`does not open ${what}, and fails with a reason that names the path`, (path) =>
      Effect.gen(function* () {
        const wrong = make(path)
        const use: Effect.Effect<unknown, unknown, Repositories> = insertBello
        const failure = yield* Effect.flip(Effect.provide(use, storeIn(wrong)))
        expect(failure).toBeInstanceOf(StorageNotOpened)
        expect(failure).toMatchObject({
          reason: expect.stringMatching(
            new RegExp(`^(?:The SQLite file ${wrong} cannot be opened: .+|${wrong} is a folder)\\.(?: [A-Z].+)?$`),
          ),
        })
      }),
    )
  }
})
