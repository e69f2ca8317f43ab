/** A backup of a SQLite store is complete, and never takes a name that is in use. */
import { copyFileSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { backup, engines, everyName, hotJournal, inPlace, insert, names, opened, restore } from "../stores-and-backups.js"

describe.each(engines)("a backup of a %s store", (adapter) => {
  inPlace("rolls back a killed process's unfinished transaction", (place) =>
    Effect.gen(function* () {
      yield* opened(adapter, place.path, insert(names(3000, "pet")))
      hotJournal(place.path)
      expect(yield* backup(adapter, place)).toMatchObject({ pets: 3000n })
      const elsewhere = join(dirname(place.path), "elsewhere.db")
      yield* restore(adapter, { ...place, path: elsewhere })
      expect(yield* opened(adapter, elsewhere, everyName)).toStrictEqual(names(3000, "pet"))
    }),
  )

  inPlace("is refused if a leftover log would be replayed into the backup", (place) =>
    Effect.gen(function* () {
      yield* opened(adapter, place.path, insert(names(3, "pet")))
      writeFileSync(`${place.file}-journal`, "")
      expect(yield* Effect.flip(backup(adapter, place))).toMatchObject({
        reason: expect.stringContaining("-journal is next to"),
      })
    }),
  )

  inPlace("is refused under a name that the store itself uses", (place) =>
    Effect.gen(function* () {
      yield* opened(adapter, place.path, insert(names(3, "pet")))
      for (const suffix of ["", "-wal", "-shm", "-journal", "-users", "-lock", "-probe", ".unfinished", ".restoring"]) {
        expect(yield* Effect.flip(backup(adapter, { ...place, file: `${place.path}${suffix}` }))).toMatchObject({
          reason: expect.stringContaining(`petstore.db${suffix} is a name that the store`),
        })
      }
      expect(yield* opened(adapter, place.path, everyName)).toStrictEqual(names(3, "pet"))
    }),
  )

  inPlace("can be created from a store that is a copy of a backup", (place) =>
    Effect.gen(function* () {
      yield* opened(adapter, place.path, insert(names(3, "pet")))
      yield* backup(adapter, place)
      const copied = join(dirname(place.path), "copied.db")
      copyFileSync(place.file, copied)
      yield* opened(adapter, copied, insert(names(2, "later")))
      const again = { path: copied, file: join(dirname(place.path), "again.db") }
      expect(yield* backup(adapter, again)).toMatchObject({ pets: 5n })
      rmSync(copied)
      expect(yield* restore(adapter, again)).toMatchObject({ pets: 5n })
    }),
  )

  inPlace("is complete even if a concurrent backup to the same name is refused", (place) =>
    Effect.gen(function* () {
      yield* opened(adapter, place.path, insert(names(3000, "pet")))
      const results = yield* Effect.all([Effect.either(backup(adapter, place)), Effect.either(backup(adapter, place))], {
        concurrency: "unbounded",
      })
      expect(results.map(({ _tag }) => _tag).toSorted()).toStrictEqual(["Left", "Right"])
      expect(readdirSync(dirname(place.path)).filter((name) => name.includes("unfinished"))).toStrictEqual([])
      rmSync(place.path)
      expect(yield* restore(adapter, place)).toMatchObject({ pets: 3000n })
    }),
  )
})
