/** Tests restores of a SQLite store over other files and open stores. */
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  lstatSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { basename, dirname, join } from "node:path"
import { PetRepository } from "@petstore/core"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { backedUp, engines, everyName, hotJournal, inPlace, killedLog, names, opened, restore } from "../stores-and-backups.js"

describe.each(engines)("a restore of a %s store", (adapter) => {
  for (const [what, leave] of [
    ["a log", killedLog],
    ["a journal", hotJournal],
  ] as const) {
    inPlace(`restores exactly the backup even if the former store left ${what}`, (place) =>
      Effect.gen(function* () {
        yield* backedUp(adapter, place)
        leave(place.path)
        rmSync(place.path)
        const { movedAside } = yield* restore(adapter, place)
        expect(movedAside).toMatch(/-(wal|journal)$/)
        expect(existsSync(movedAside ?? "")).toBe(true)
        // Both engines must read the same store.
        expect(yield* opened("sqlite", place.path, everyName)).toStrictEqual(names(30, "kept"))
        expect(yield* opened(adapter, place.path, everyName)).toStrictEqual(names(30, "kept"))
      }),
    )
  }

  inPlace("moves a damaged store aside unchanged, and reports the damage", (place) =>
    Effect.gen(function* () {
      yield* backedUp(adapter, place)
      writeFileSync(place.path, "no database at all")
      writeFileSync(`${place.path}-wal`, "nor its log")
      const { movedAside = "", wasDamaged } = yield* restore(adapter, place, true)
      expect(wasDamaged).toBe(true)
      expect(readFileSync(movedAside, "utf8")).toBe("no database at all")
      expect(readFileSync(`${movedAside}-wal`, "utf8")).toBe("nor its log")
      expect(yield* opened(adapter, place.path, everyName)).toStrictEqual(names(30, "kept"))
    }),
  )

  inPlace("reports a store as damaged if only its header is intact", (place) =>
    Effect.gen(function* () {
      yield* backedUp(adapter, place)
      const head = readFileSync(place.path).subarray(0, 100)
      writeFileSync(place.path, Buffer.concat([head, Buffer.alloc(40_000, "garbage")]))
      expect(yield* restore(adapter, place, true)).toMatchObject({ wasDamaged: true })
      expect(yield* opened(adapter, place.path, everyName)).toStrictEqual(names(30, "kept"))
    }),
  )

  for (const user of engines) {
    inPlace(`is refused while a ${user} service has the store open, even after the store's file was removed`, (place) =>
      Effect.gen(function* () {
        yield* backedUp(adapter, place)
        yield* opened(
          user,
          place.path,
          Effect.gen(function* () {
            expect(yield* Effect.flip(restore(adapter, place, true))).toMatchObject({
              reason: expect.stringContaining("is in use. Stop the programs that use it first"),
            })
            expect(yield* everyName).toHaveLength(330)
            rmSync(place.path)
            expect(yield* Effect.flip(restore(adapter, place))).toMatchObject({ reason: expect.stringContaining("is in use") })
          }),
        )
      }),
    )
  }

  inPlace("follows a symbolic link, and preserves the link", (place) =>
    Effect.gen(function* () {
      yield* backedUp(adapter, place)
      const link = join(dirname(place.path), "link.db")
      symlinkSync(basename(place.path), link)
      const { movedAside = "" } = yield* restore(adapter, { ...place, path: link }, true)
      expect(lstatSync(link).isSymbolicLink()).toBe(true)
      expect(movedAside.startsWith(`${place.path}.before-restore-`)).toBe(true)
      expect(yield* opened(adapter, place.path, everyName)).toStrictEqual(names(30, "kept"))
    }),
  )

  inPlace("ignores another file's log next to the backup", (place) =>
    Effect.gen(function* () {
      yield* backedUp(adapter, place)
      killedLog(place.path)
      copyFileSync(`${place.path}-wal`, `${place.file}-wal`)
      rmSync(`${place.path}-wal`)
      yield* restore(adapter, place, true)
      expect(yield* opened(adapter, place.path, everyName)).toStrictEqual(names(30, "kept"))
    }),
  )

  for (const suffix of [".unfinished", ".unfinished-wal", "-users"]) {
    inPlace(`is refused if the backup's name is the store's name plus ${suffix}, and leaves the backup unchanged`, (place) =>
      Effect.gen(function* () {
        yield* backedUp(adapter, place)
        const file = `${place.path}${suffix}`
        copyFileSync(place.file, file)
        expect(yield* Effect.flip(restore(adapter, { ...place, file }, true))).toMatchObject({
          reason: expect.stringContaining("is a name that the restore itself uses"),
        })
        expect(readFileSync(file).equals(readFileSync(place.file))).toBe(true)
        rmSync(file)
        expect(yield* opened(adapter, place.path, everyName)).toHaveLength(330)
      }),
    )
  }

  inPlace("preserves the former store's owner and mode", (place) =>
    Effect.gen(function* () {
      yield* backedUp(adapter, place)
      chmodSync(place.path, 0o640)
      // Only root can change a file's owner.
      const owner = process.getuid?.() === 0 ? 4711 : (process.getuid?.() ?? 0)
      chownSync(place.path, owner, statSync(place.path).gid)
      yield* restore(adapter, place, true)
      const { mode, uid } = statSync(place.path)
      expect([(mode & 0o777).toString(8), uid]).toEqual(["640", owner])
    }),
  )

  inPlace("does not reassign an identifier that the store has assigned since the backup", (place) =>
    Effect.gen(function* () {
      yield* backedUp(adapter, place)
      yield* restore(adapter, place, true)
      const inserted = Effect.flatMap(PetRepository, (pets) => pets.insert({ name: "new", categoryId: 1n }))
      expect(yield* opened(adapter, place.path, inserted)).toMatchObject({ id: 331n })
    }),
  )

  inPlace("does not treat an empty file as a store", (place) =>
    Effect.gen(function* () {
      yield* backedUp(adapter, place)
      const elsewhere = join(dirname(place.path), "elsewhere.db")
      writeFileSync(elsewhere, "")
      expect(yield* restore(adapter, { ...place, path: elsewhere })).toMatchObject({ pets: 30n })
    }),
  )
})
