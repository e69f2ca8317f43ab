/** Paths that cannot be a store. Every attempt to open such a path fails quickly, and moves nothing. */
import { execFileSync } from "node:child_process"
import { existsSync, lstatSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { backupStore, restoreStore } from "../../../src/backup.js"
import { filesOfStore } from "../../../src/database-url.js"
import { storage } from "../../../src/storage.js"
import { newFile, storeIn } from "../../sqlite-file.js"

/** Why a store at `path` cannot be opened, restored and backed up. */
const reasonsFor = (path: string, backup: string) =>
  Effect.gen(function* () {
    const url = { adapter: "sqlite", path } as const
    const reason = (failure: object) => ("reason" in failure ? String(failure.reason) : "no reason")
    const opened = yield* Effect.flip(Effect.provide(Effect.void, storage(url, { migrate: true })))
    const restored = yield* Effect.flip(restoreStore(url, backup, { replace: true }))
    const backedUp = yield* Effect.flip(backupStore(url, join(dirname(backup), "other.db")))
    return [reason(opened), reason(restored), reason(backedUp)] as const
  })

/** A folder with a store's backup. */
const place = Effect.gen(function* () {
  const path = yield* newFile
  yield* Effect.provide(Effect.void, storeIn(path))
  const backup = join(dirname(path), "backup.db")
  yield* backupStore({ adapter: "sqlite", path }, backup)
  return { folder: dirname(path), backup }
})

const inPlace = (what: string, test: (place: { folder: string; backup: string }) => Effect.Effect<void, unknown>) =>
  it(what, () => Effect.runPromise(Effect.scoped(Effect.flatMap(place, test))))

describe("the adapter neither opens nor replaces", () => {
  inPlace("a folder", ({ folder, backup }) =>
    Effect.gen(function* () {
      const path = join(folder, "data")
      mkdirSync(path)
      for (const reason of yield* reasonsFor(path, backup)) {
        expect(reason).toContain(`${path} is a folder. Specify the store's file.`)
      }
      expect(readdirSync(folder).filter((name) => name.startsWith("data"))).toStrictEqual(["data"])
    }),
  )

  inPlace("a pipe, without waiting for its other end", ({ folder, backup }) =>
    Effect.gen(function* () {
      const path = join(folder, "pipe")
      execFileSync("mkfifo", [path])
      for (const reason of yield* reasonsFor(path, backup)) expect(reason).toContain(`${path} is not a regular file.`)
      expect(lstatSync(path).isFIFO()).toBe(true)
      const restored = yield* Effect.flip(
        restoreStore({ adapter: "sqlite", path: join(folder, "new.db") }, path, { replace: true }),
      )
      expect(restored).toMatchObject({ reason: `${path} is not a regular file. Nothing was changed.` })
    }),
  )
})

describe("a start quickly refuses to create a store", () => {
  inPlace("in a folder where the system allows no files", ({ backup }) =>
    Effect.gen(function* () {
      if (!existsSync("/proc/self")) return
      const [opened, restored] = yield* reasonsFor("/proc/none/deeper/petstore.db", backup)
      for (const reason of [opened, restored]) expect(reason).toContain("choose another location")
    }),
  )

  inPlace("under a file", ({ folder, backup }) =>
    Effect.gen(function* () {
      writeFileSync(join(folder, "file"), "")
      const path = join(folder, "file/deeper/petstore.db")
      const [opened, restored] = yield* reasonsFor(path, backup)
      for (const reason of [opened, restored]) expect(reason).toMatch(/ENOTDIR.*choose another location/)
      expect(filesOfStore({ adapter: "sqlite", path })[0]).toBe(path)
    }),
  )

  inPlace("behind circular links", ({ folder, backup }) =>
    Effect.gen(function* () {
      const path = join(folder, "one")
      symlinkSync("other", path)
      symlinkSync("one", join(folder, "other"))
      const [opened, restored] = yield* reasonsFor(path, backup)
      for (const reason of [opened, restored]) expect(reason).toMatch(/ELOOP.*choose another location/)
    }),
  )
})
