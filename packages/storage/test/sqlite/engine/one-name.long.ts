/** A store's file has only one name, because SQLite finds logs and locks by name. */
import { spawnSync } from "node:child_process"
import {
  copyFileSync,
  existsSync,
  linkSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { basename, dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { type PetId, PetRepository, Readiness } from "@petstore/core"
import { Context, Deferred, Effect, Layer, Option, type Scope } from "effect"
import { describe, expect, it } from "vitest"
import { sqliteStorage } from "../../../src/sqlite/storage.js"
import { storage } from "../../../src/storage.js"
import { petFreshness } from "../../pet-freshness.js"
import { newFile, onNewFile } from "../../sqlite-file.js"
import { backup, type Engine, engines, everyName, inPlace, insert, names, opened, type Place } from "../stores-and-backups.js"

/** Mounts a file under another name. Returns whether the mount succeeded. */
const mounted = (file: string, name: string): Effect.Effect<boolean, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      writeFileSync(name, "")
      return spawnSync("mount", ["--bind", file, name]).status === 0
    }),
    () => Effect.sync(() => spawnSync("umount", ["--lazy", name])),
  )

const lookedAt = (adapter: Engine, path: string) =>
  Effect.provide(everyName, storage({ adapter, path }, { migrate: true, readOnly: true }))

/** Expects writes, reads and the readiness check to fail, with the reason in the failure. */
const expectNone = (kept: PetId) =>
  Effect.gen(function* () {
    const pets = yield* PetRepository
    const { check } = yield* Readiness
    const calls = [
      pets.insert({ name: "lost", categoryId: 1n }),
      pets.find(kept),
      pets.list({ status: Option.none(), after: Option.none(), limit: 10 }),
      check,
    ]
    for (const call of calls) {
      expect(yield* Effect.flip(Effect.asVoid(call))).toMatchObject({
        _tag: "StorageUnavailable",
        message: "The store's file was removed or replaced. The service restarts once the new file is complete.",
      })
    }
  })

describe.each(engines)("a %s store", (adapter) => {
  inPlace("is not opened or copied while its file has a second name", (place) =>
    Effect.gen(function* () {
      yield* opened(adapter, place.path, insert(names(3, "pet")))
      const other = join(dirname(place.path), "other.db")
      linkSync(place.path, other)
      const reason = expect.stringMatching(/has 2 names, .*find \/ -samefile/)
      expect(yield* Effect.flip(opened(adapter, place.path, everyName))).toMatchObject({ reason })
      expect(yield* Effect.flip(opened(adapter, other, everyName))).toMatchObject({ reason })
      expect(yield* Effect.flip(backup(adapter, place))).toMatchObject({ reason })
      expect(yield* Effect.flip(lookedAt(adapter, place.path))).toMatchObject({ reason })
      rmSync(other)
      expect(yield* opened(adapter, place.path, everyName)).toStrictEqual(names(3, "pet"))
    }),
  )

  it("is not opened if its file is mounted without the folder", ({ skip }) =>
    onNewFile((path) =>
      Effect.gen(function* () {
        yield* opened(adapter, path, insert(names(3, "pet")))
        const name = join(dirname(path), "mounted alone.db")
        if (!(yield* mounted(path, name))) return skip("this user is not allowed to mount a file")
        const reason = expect.stringContaining(`${name} is mounted without its folder`)
        expect(yield* Effect.flip(opened(adapter, name, everyName))).toMatchObject({ reason })
        expect(yield* Effect.flip(lookedAt(adapter, name))).toMatchObject({ reason })
        expect(yield* opened(adapter, path, everyName)).toStrictEqual(names(3, "pet"))
      }),
    ))

  it("is opened even if an overlay file system copies its file", ({ skip }) =>
    onNewFile((path) =>
      Effect.gen(function* () {
        yield* opened(adapter, path, insert(names(3, "pet")))
        const [image, disk, mount] = [dirname(path), `${dirname(path)}-disk`, `${dirname(path)}-mount`]
        const options = `lowerdir=${image},upperdir=${disk}/upper,workdir=${disk}/work`
        const script = `mkdir ${disk} ${mount} && mount -t tmpfs none ${disk} && mkdir ${disk}/upper ${disk}/work && mount -t overlay -o ${options} overlay ${mount}`
        yield* Effect.addFinalizer(() =>
          Effect.sync(() => {
            for (const folder of [mount, disk]) {
              spawnSync("umount", ["--lazy", folder])
              rmSync(folder, { recursive: true, force: true })
            }
          }),
        )
        if (spawnSync("sh", ["-c", script]).status !== 0) return skip("this user is not allowed to mount an overlay")
        yield* opened(adapter, join(mount, basename(path)), insert(names(2, "later")))
        expect(yield* opened(adapter, join(mount, basename(path)), everyName)).toHaveLength(5)
      }),
    ))

  inPlace("is opened after a killed start left its probe for mounts behind", (place) =>
    Effect.gen(function* () {
      yield* opened(adapter, place.path, insert(names(3, "pet")))
      linkSync(place.path, `${place.path}-probe`)
      expect(yield* opened(adapter, place.path, everyName)).toStrictEqual(names(3, "pet"))
      expect(existsSync(`${place.path}-probe`)).toBe(false)
      expect(statSync(place.path).nlink).toBe(1)
    }),
  )

  for (const [what, lose] of [
    ["removed", (path: string) => rmSync(path)],
    ["moved aside", (path: string) => renameSync(path, `${path}.aside`)],
    ["replaced", (path: string) => renameSync(join(dirname(path), "backup.db"), path)],
  ] as const) {
    inPlace(`fails every call after its file was ${what}, even if the file reappears`, (place) =>
      Effect.gen(function* () {
        yield* opened(adapter, place.path, insert(names(3, "pet")))
        yield* backup(adapter, place)
        yield* opened(
          adapter,
          place.path,
          Effect.gen(function* () {
            const pets = yield* PetRepository
            const kept = yield* pets.insert({ name: "kept", categoryId: 1n })
            lose(place.path)
            yield* expectNone(kept.id)
            expect((yield* petFreshness).revision()).toStrictEqual(Option.none())
            const aside = `${place.path}.aside`
            if (existsSync(aside)) renameSync(aside, place.path)
            yield* expectNone(kept.id)
          }),
        )
      }),
    )
  }
})

for (const suffix of ["-wal", "-shm"]) {
  inPlace(`a sqlite store fails every call after its ${suffix} file was removed`, (place) =>
    opened(
      "sqlite",
      place.path,
      Effect.gen(function* () {
        const pets = yield* PetRepository
        const kept = yield* pets.insert({ name: "kept", categoryId: 1n })
        rmSync(`${place.path}${suffix}`)
        yield* expectNone(kept.id)
      }),
    ),
  )
}

inPlace("a store whose file was removed expects another file even after the path was a link to itself", ({ path, file }) =>
  Effect.gen(function* () {
    const replaced = yield* Deferred.make<void>()
    const onReplaced = () => Deferred.unsafeDone(replaced, Effect.void)
    const onWarning = () => {}
    yield* Layer.build(storage({ adapter: "sqlite", path }, { migrate: true, onReplaced, onWarning }))
    renameSync(path, file)
    const isKept = () => readdirSync(dirname(path)).some((name) => /replaced-[^.]*$/.test(name))
    while (!isKept()) yield* Effect.sleep(20)
    symlinkSync(path, path)
    yield* Effect.sleep(300)
    renameSync(file, path)
    yield* Effect.timeout(Deferred.await(replaced), 5_000)
  }).pipe(Effect.scoped),
)

inPlace("a store whose path became a link to itself warns when it is closed, and loses nothing", ({ path, file }) =>
  Effect.gen(function* () {
    const warnings: Array<string> = []
    const store = storage({ adapter: "sqlite", path }, { migrate: true, onWarning: (sentence) => warnings.push(sentence) })
    const link = Effect.sync(() => {
      renameSync(path, file)
      symlinkSync(path, path)
    })
    yield* Effect.provide(Effect.zipRight(insert(["Rex"]), link), store)
    expect(warnings).toContainEqual(expect.stringContaining("cannot be kept"))
    renameSync(file, path)
    expect(yield* opened("sqlite", path, everyName)).toStrictEqual(["Rex"])
  }),
)

inPlace("a sqlite store notices later that its file was overwritten if the process had no free file descriptors", (place) =>
  Effect.gen(function* () {
    let isFree = true
    class Limited extends DatabaseSync {
      constructor(path: string, options: { readonly timeout: number; readonly readOnly?: boolean }) {
        if (!isFree && path.startsWith("file:")) throw Object.assign(new Error("unable to open database file"), { errcode: 14 })
        super(path, options)
      }
    }
    yield* opened("sqlite", place.path, insert(["Rex"]))
    yield* backup("sqlite", place)
    const { find, insert: create } = yield* Effect.map(
      Layer.build(sqliteStorage(Limited, place.path, { migrate: true, onWarning: () => {} })),
      Context.get(PetRepository),
    )
    const { id } = yield* create({ name: "Mia", categoryId: 1n })
    yield* Effect.sleep(600)
    isFree = false
    copyFileSync(place.file, place.path)
    yield* Effect.sleep(600)
    isFree = true
    yield* Effect.sleep(600)
    expect(yield* Effect.flip(Effect.asVoid(find(id)))).toMatchObject({ _tag: "StorageUnavailable" })
  }).pipe(Effect.scoped),
)

it("neither engine opens or copies a sqlite store while a program uses the store's removed log", () => {
  const refused = (removed: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const path = yield* newFile
      const place = { path, file: join(dirname(path), "backup.db") }
      yield* opened(
        "sqlite",
        path,
        Effect.gen(function* () {
          yield* insert(names(3, "pet"))
          for (const suffix of removed) rmSync(`${path}${suffix}`)
          const attempts: ReadonlyArray<Effect.Effect<unknown, unknown>> = [
            ...engines.flatMap((adapter) => [opened(adapter, path, everyName), backup(adapter, place)]),
            // If there is a log, checking the locks would change the file.
            ...(existsSync(`${path}-wal`) ? [] : [lookedAt("sqlite", path)]),
          ]
          for (const refusal of yield* Effect.all(attempts.map(Effect.flip), { concurrency: "unbounded" })) {
            expect(refusal).toMatchObject({ reason: expect.stringContaining("was removed while a program was using it") })
          }
        }),
      )
      expect(yield* opened("sqlite", path, everyName)).toStrictEqual(names(3, "pet"))
    })
  const all = [["-wal"], ["-shm"], ["-wal", "-shm", "-users"]].map(refused)
  return Effect.runPromise(Effect.scoped(Effect.all(all, { concurrency: "unbounded" })))
})

inPlace("SQLite does not open or copy a store while a program has the store open with sqljs", (place) =>
  Effect.gen(function* () {
    yield* opened(
      "sqljs",
      place.path,
      Effect.gen(function* () {
        yield* insert(names(3, "pet"))
        const attempts: ReadonlyArray<Effect.Effect<unknown, unknown>> = [
          opened("sqlite", place.path, everyName),
          backup("sqlite", place),
          lookedAt("sqlite", place.path),
        ]
        for (const refusal of yield* Effect.all(attempts.map(Effect.flip), { concurrency: "unbounded" })) {
          expect(refusal).toMatchObject({ reason: expect.stringContaining("cannot share a store with SQLite") })
        }
        expect(yield* everyName).toStrictEqual(names(3, "pet"))
      }),
    )
    expect(yield* opened("sqlite", place.path, everyName)).toStrictEqual(names(3, "pet"))
  }),
)

const other = (place: Place): string => join(dirname(place.path), "other.db")

for (const [what, copied] of [
  ["its backup", (place: Place) => place.file],
  ["another store", other],
  ["something else", () => import.meta.filename],
] as const) {
  inPlace(`a sqlite store survives checkpoints, but fails every call after ${what} was copied over its file`, (place) =>
    Effect.gen(function* () {
      yield* opened("sqlite", other(place), insert(names(3, "other")))
      yield* opened(
        "sqlite",
        place.path,
        Effect.gen(function* () {
          const pets = yield* PetRepository
          yield* insert(names(20_000, "pet"))
          yield* backup("sqlite", place)
          for (let rounds = 0; rounds < 3; rounds += 1) {
            yield* insert(names(20_000, "later"))
            const connection = new DatabaseSync(place.path)
            connection.exec("PRAGMA wal_checkpoint(TRUNCATE)")
            connection.close()
          }
          const kept = yield* pets.insert({ name: "kept", categoryId: 1n })
          copyFileSync(copied(place), place.path)
          yield* expectNone(kept.id)
        }),
      )
    }),
  )
}
