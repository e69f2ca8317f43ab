/** Backup and restore of a SQLite store, whatever lies beside it, whoever has it open and whenever they are killed. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { PetRepository } from "@petstore/core"
import { Effect, Option, Stream } from "effect"
import { build } from "rolldown"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { backupStore, restoreStore } from "../../../src/backup.js"
import { BackupFailed } from "../../../src/backup-failed.js"
import { noteOfRestore } from "../../../src/sqlite/engine/store-file.js"
import { storage } from "../../../src/storage.js"
import { StorageNotOpened } from "../../../src/storage-not-opened.js"
import { newFile } from "../../sqlite-file.js"

const engines = ["sqlite", "sqljs"] as const
type Engine = (typeof engines)[number]

/** Where everything of a test is. */
interface Place {
  readonly path: string
  readonly file: string
}

const storageFolder = join(import.meta.dirname, "../../..")

const inPlace = (name: string, test: (place: Place) => Effect.Effect<void, unknown>) =>
  it(name, () =>
    Effect.runPromise(Effect.scoped(Effect.flatMap(newFile, (path) => test({ path, file: join(dirname(path), "backup.db") })))),
  )

const opened = <A, E>(adapter: Engine, path: string, use: Effect.Effect<A, E, PetRepository>) =>
  Effect.provide(use, storage({ adapter, path }, { migrate: true }))

const names = (count: number, prefix: string) => Array.from({ length: count }, (_, index) => `${prefix} ${index}`)

const insert = (pets: ReadonlyArray<string>) =>
  Effect.flatMap(PetRepository, ({ insertAll }) => insertAll(Stream.make(pets.map((name) => ({ name, categoryId: 1n })))))

const everyName = Effect.map(
  Effect.flatMap(PetRepository, ({ list }) => list({ status: Option.none(), after: Option.none(), limit: 100_000 })),
  (pets) => pets.map(({ name }) => name),
)

const backup = (adapter: Engine, { path, file }: Place) => backupStore({ adapter, path }, file)

const restore = (adapter: Engine, { path, file }: Place, replace = false) => restoreStore({ adapter, path }, file, { replace })

const change = (path: string, sql: string): void => {
  const connection = new DatabaseSync(path)
  connection.exec(sql)
  connection.close()
}

/** A store of some pets and a key, its backup, and what came later: pets, and the end of the key. */
const backedUp = (adapter: Engine, place: Place) =>
  Effect.gen(function* () {
    yield* opened(adapter, place.path, insert(names(30, "kept")))
    change(
      place.path,
      "INSERT INTO accounts VALUES ('a', 'shop', 1); INSERT INTO api_keys (id, account_id, hash, deployment, created_at) VALUES ('k', 'a', 'h', 'staging', 1)",
    )
    yield* backup(adapter, place)
    yield* opened(adapter, place.path, insert(names(300, "later")))
    change(place.path, "UPDATE api_keys SET revoked_at = 2")
  })

/** When the key of {@link backedUp} was revoked. */
const revokedAt = (path: string): unknown => {
  const connection = new DatabaseSync(path)
  const row = connection.prepare("SELECT revoked_at FROM api_keys").get()
  connection.close()
  return row?.["revoked_at"]
}

const ofAside = (path: string) => readdirSync(dirname(path)).filter((name) => name.includes(".before-restore-"))

/** What a killed process leaves: the log of writes that the file itself does not have yet. */
const killedLog = (path: string): void => {
  const connection = new DatabaseSync(path)
  connection.exec("PRAGMA journal_mode = WAL; UPDATE pets SET name = 'from the log'")
  copyFileSync(`${path}-wal`, `${path}-kept`)
  connection.close()
  copyFileSync(`${path}-kept`, `${path}-wal`)
}

/** What a process leaves that is killed in the middle of a commit: a journal that brings back what was before. */
const hotJournal = (path: string): void => {
  const connection = new DatabaseSync(path)
  connection.exec("PRAGMA journal_mode = DELETE; PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN IMMEDIATE")
  connection.exec("UPDATE pets SET name = 'from a transaction that never ended ' || id")
  copyFileSync(path, `${path}-kept`)
  copyFileSync(`${path}-journal`, `${path}-kept-journal`)
  connection.exec("ROLLBACK")
  connection.close()
  copyFileSync(`${path}-kept`, path)
  copyFileSync(`${path}-kept-journal`, `${path}-journal`)
}

describe.each(engines)("a restore of a %s store", (adapter) => {
  for (const [what, leave] of [
    ["a log", killedLog],
    ["a journal", hotJournal],
  ] as const) {
    inPlace(`leaves what was backed up, although ${what} of the former store lay there`, (place) =>
      Effect.gen(function* () {
        yield* backedUp(adapter, place)
        leave(place.path)
        rmSync(place.path)
        const { movedAside } = yield* restore(adapter, place)
        expect(movedAside).toMatch(/-(wal|journal)$/)
        expect(existsSync(movedAside ?? "")).toBe(true)
        // A store that was last used by the other engine, and the one that this service uses.
        expect(yield* opened("sqlite", place.path, everyName)).toStrictEqual(names(30, "kept"))
        expect(yield* opened(adapter, place.path, everyName)).toStrictEqual(names(30, "kept"))
      }),
    )
  }

  inPlace("moves a damaged store aside as it is, and says so", (place) =>
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

  inPlace("calls a store damaged whose head alone is whole", (place) =>
    Effect.gen(function* () {
      yield* backedUp(adapter, place)
      const head = readFileSync(place.path).subarray(0, 100)
      writeFileSync(place.path, Buffer.concat([head, Buffer.alloc(40_000, "garbage")]))
      expect(yield* restore(adapter, place, true)).toMatchObject({ wasDamaged: true })
      expect(yield* opened(adapter, place.path, everyName)).toStrictEqual(names(30, "kept"))
    }),
  )

  for (const user of engines) {
    inPlace(`is refused while a ${user} service has the store open, also when its file was moved away`, (place) =>
      Effect.gen(function* () {
        yield* backedUp(adapter, place)
        yield* opened(
          user,
          place.path,
          Effect.gen(function* () {
            expect(yield* Effect.flip(restore(adapter, place, true))).toMatchObject({
              reason: expect.stringContaining("is in use. Stop the service first"),
            })
            expect(yield* everyName).toHaveLength(330)
            rmSync(place.path)
            expect(yield* Effect.flip(restore(adapter, place))).toMatchObject({ reason: expect.stringContaining("is in use") })
          }),
        )
      }),
    )
  }

  inPlace("follows a symbolic link, and leaves it a link", (place) =>
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

  inPlace("reads a backup beside which a log of something else lies", (place) =>
    Effect.gen(function* () {
      yield* backedUp(adapter, place)
      killedLog(place.path)
      copyFileSync(`${place.path}-wal`, `${place.file}-wal`)
      rmSync(`${place.path}-wal`)
      yield* restore(adapter, place, true)
      expect(yield* opened(adapter, place.path, everyName)).toStrictEqual(names(30, "kept"))
    }),
  )
})

describe.each(engines)("a start of a %s store", (adapter) => {
  for (const [what, leave] of [
    ["the log", killedLog],
    ["the journal", hotJournal],
  ] as const) {
    inPlace(`is refused where ${what} of a store is there without its file, and leaves it there`, (place) =>
      Effect.gen(function* () {
        yield* backedUp(adapter, place)
        leave(place.path)
        const elsewhere = `${place.path}.elsewhere`
        renameSync(place.path, elsewhere)
        expect(yield* Effect.flip(opened(adapter, place.path, everyName))).toMatchObject({
          reason: expect.stringMatching(/but the log of one, petstore\.db-(wal|journal)\./),
        })
        expect(existsSync(place.path)).toBe(false)
        renameSync(elsewhere, place.path)
        expect(yield* opened("sqlite", place.path, everyName)).toHaveLength(330)
      }),
    )
  }

  inPlace("is refused where the file of a log is empty, and leaves the log there", (place) =>
    Effect.gen(function* () {
      yield* backedUp(adapter, place)
      killedLog(place.path)
      const elsewhere = `${place.path}.elsewhere`
      renameSync(place.path, elsewhere)
      writeFileSync(place.path, "")
      expect(yield* Effect.flip(opened(adapter, place.path, everyName))).toMatchObject({
        reason: expect.stringContaining("but the log of one, petstore.db-wal."),
      })
      renameSync(elsewhere, place.path)
      expect(yield* opened("sqlite", place.path, everyName)).toHaveLength(330)
    }),
  )
})

describe.each(engines)("a restore of a %s store", (adapter) => {
  inPlace("takes an empty file for no store", (place) =>
    Effect.gen(function* () {
      yield* backedUp(adapter, place)
      const elsewhere = join(dirname(place.path), "elsewhere.db")
      writeFileSync(elsewhere, "")
      expect(yield* restore(adapter, { ...place, path: elsewhere })).toMatchObject({ pets: 30n })
    }),
  )
})

describe.each(engines)("a backup of a %s store", (adapter) => {
  inPlace("rolls back what a killed process left unfinished", (place) =>
    Effect.gen(function* () {
      yield* opened(adapter, place.path, insert(names(3000, "pet")))
      hotJournal(place.path)
      expect(yield* backup(adapter, place)).toMatchObject({ pets: 3000n })
      const elsewhere = join(dirname(place.path), "elsewhere.db")
      yield* restore(adapter, { ...place, path: elsewhere })
      expect(yield* opened(adapter, elsewhere, everyName)).toStrictEqual(names(3000, "pet"))
    }),
  )

  inPlace("is not made under a name beside which a log lies, which would be played back into it", (place) =>
    Effect.gen(function* () {
      yield* opened(adapter, place.path, insert(names(3, "pet")))
      writeFileSync(`${place.file}-journal`, "")
      expect(yield* Effect.flip(backup(adapter, place))).toMatchObject({
        reason: expect.stringContaining("-journal lies beside"),
      })
    }),
  )

  inPlace("is not made under a name that the store uses itself", (place) =>
    Effect.gen(function* () {
      yield* opened(adapter, place.path, insert(names(3, "pet")))
      for (const suffix of ["", "-wal", "-shm", "-journal", "-users", "-writer", "-lock", ".unfinished", ".restoring"]) {
        expect(yield* Effect.flip(backup(adapter, { ...place, file: `${place.path}${suffix}` }))).toMatchObject({
          reason: expect.stringContaining(`petstore.db${suffix} is a name that the store`),
        })
      }
      expect(yield* opened(adapter, place.path, everyName)).toStrictEqual(names(3, "pet"))
    }),
  )

  inPlace("is whole when two are made under one name at a time: one of them is refused", (place) =>
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

/** Restores as the built package does, of which its build makes one file that starts fast, and dies with SIGKILL before the call of a number that changes what is on the disk. */
const program = `
  import promises from "node:fs/promises"
  import { syncBuiltinESMExports } from "node:module"
  const [adapter, path, file, number] = process.argv.slice(1)
  let left = Number(number)
  for (const name of ["open", "rename", "rm"]) {
    const call = promises[name]
    promises[name] = (...args) => {
      if (!(name === "rm" && String(args[0]).includes(".unfinished")) && left-- === 0) process.kill(process.pid, "SIGKILL")
      return call(...args)
    }
  }
  syncBuiltinESMExports()
  const { restore } = await import(process.cwd() + "/restore.js")
  await restore({ adapter, path }, file, { replace: true })
`

/** The folder of `restore.js`. */
let built = ""

beforeAll(async () => {
  built = mkdtempSync(join(tmpdir(), "petstore-restore-"))
  // It lies where `effect` is found.
  const entry = join(storageFolder, "restore-and-run.js")
  const source = `
    import { Effect } from "effect"
    import { restoreStore } from "./dist/backup.js"
    export const restore = (...given) => Effect.runPromise(restoreStore(...given))`
  await build({
    input: entry,
    plugins: [
      {
        name: "entry",
        resolveId: (id) => (id === entry ? id : null),
        load: (id) => (id === entry ? source : null),
      },
    ],
    platform: "node",
    external: "@petstore/sqljs",
    logLevel: "silent",
    output: { file: join(built, "restore.js") },
  })
})

afterAll(() => rmSync(built, { recursive: true }))

/** Whether the restore was killed: it ended before that call otherwise. */
const restoreKilledAt = async (number: number, { path, file }: Place): Promise<boolean> => {
  const args = ["--disable-warning=ExperimentalWarning", "--input-type=module", "--eval", program, "sqlite", path, file]
  const child = spawn(process.execPath, [...args, String(number)], { cwd: built, stdio: "inherit" })
  const [code, signal] = await once(child, "exit")
  expect([code, signal]).toStrictEqual(signal === null ? [0, null] : [null, "SIGKILL"])
  return signal !== null
}

describe("a restore that is killed", () => {
  /** Kills at one moment, and answers whether there was such a moment. */
  const killedAt = (number: number) =>
    Effect.scoped(
      Effect.gen(function* () {
        const path = yield* newFile
        const place = { path, file: join(dirname(path), "backup.db") }
        yield* backedUp("sqlite", place)
        const wasKilled = yield* Effect.promise(() => restoreKilledAt(number, place))
        const before = [...names(30, "kept"), ...names(300, "later")]
        const found = yield* Effect.either(opened("sqlite", path, everyName))
        if (found._tag === "Left") expect(found.left).toMatchObject({ reason: expect.stringContaining("was interrupted") })
        else {
          expect([before, names(30, "kept")]).toContainEqual(found.right)
          expect(revokedAt(path)).toBe(2)
        }
        if (found._tag === "Left") yield* restore("sqlite", place, true)
        if (found._tag === "Right" && found.right.length === 330) yield* restore("sqlite", place, true)
        expect(yield* opened("sqlite", path, everyName)).toStrictEqual(names(30, "kept"))
        expect(revokedAt(path)).toBe(2)
        // Nothing was deleted: the former store is beside the new one.
        const aside = ofAside(path).map((name) => join(dirname(path), name))
        const kept = yield* Effect.forEach(aside, (one) => opened("sqlite", one, everyName))
        expect(kept).toContainEqual(before)
        return { wasKilled, state: found._tag === "Left" ? "refused" : found.right.length === 330 ? "former" : "new" }
      }),
    )

  it("at any moment leaves the former store, the new one, or a reason not to start, can be repeated, and brings back no revoked key", async () => {
    const states: Array<string> = []
    for (let number = 0; ; number += 3) {
      const results = await Promise.all([0, 1, 2].map((more) => Effect.runPromise(killedAt(number + more))))
      states.push(...results.map(({ state }) => state))
      if (results.some(({ wasKilled }) => !wasKilled)) break
    }
    // It went through all of them, in this order.
    expect([...new Set(states)]).toStrictEqual(["former", "refused", "new"])
  }, 60_000)

  inPlace("keeps everybody out until it is repeated, and makes no empty store", (place) =>
    Effect.gen(function* () {
      yield* backedUp("sqlite", place)
      rmSync(place.path)
      writeFileSync(noteOfRestore(place.path), "")
      for (const adapter of engines) {
        expect(yield* Effect.flip(opened(adapter, place.path, everyName))).toBeInstanceOf(StorageNotOpened)
        expect(yield* Effect.flip(backup(adapter, { ...place, file: `${place.file}.2` }))).toBeInstanceOf(BackupFailed)
      }
      expect(existsSync(place.path)).toBe(false)
      yield* restore("sqlite", place)
      expect(yield* opened("sqlite", place.path, everyName)).toStrictEqual(names(30, "kept"))
    }),
  )
})
