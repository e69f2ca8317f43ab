/** Kills a restore of a SQLite store at each call that opens, renames or removes a file. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Effect } from "effect"
import { build } from "rolldown"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { BackupFailed } from "../../../src/backup-failed.js"
import { restoreMarker } from "../../../src/sqlite/engine/store-file.js"
import { StorageNotOpened } from "../../../src/storage-not-opened.js"
import { onNewFile } from "../../sqlite-file.js"
import { backedUp, backup, engines, everyName, inPlace, names, opened, type Place, restore } from "../stores-and-backups.js"

const storageFolder = join(import.meta.dirname, "../../..")

/**
 * A program that restores with the built package, which is bundled into one file so that the program starts fast. The program
 * is killed before the n-th of these calls, except for the removal of an unfinished file.
 */
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

/** The folder that contains `restore.js`. */
let built = ""

beforeAll(async () => {
  built = mkdtempSync(join(tmpdir(), "petstore-restore-"))
  // The entry is in a folder where `effect` can be resolved.
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

/** Whether the restore was killed. If not, the restore completed with fewer calls. */
const restoreKilledAt = async (number: number, { path, file }: Place): Promise<boolean> => {
  const args = ["--disable-warning=ExperimentalWarning", "--input-type=module", "--eval", program, "sqlite", path, file]
  const child = spawn(process.execPath, [...args, String(number)], { cwd: built, stdio: "inherit" })
  const [code, signal] = await once(child, "exit")
  expect([code, signal]).toStrictEqual(signal === null ? [0, null] : [null, "SIGKILL"])
  return signal !== null
}

/** The time when the key from {@link backedUp} was revoked. */
const revokedAt = (path: string): unknown => {
  const connection = new DatabaseSync(path)
  const row = connection.prepare("SELECT revoked_at FROM api_keys").get()
  connection.close()
  return row?.["revoked_at"]
}

const ofAside = (path: string) => readdirSync(dirname(path)).filter((name) => name.includes(".before-restore-"))

describe("a restore that is killed", () => {
  /** Kills the restore at one call. Returns whether there was such a call. */
  const killedAt = (number: number) =>
    onNewFile((path) =>
      Effect.gen(function* () {
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
        // Nothing was deleted, so the former store is next to the new store.
        const aside = ofAside(path).map((name) => join(dirname(path), name))
        const kept = yield* Effect.forEach(aside, (one) => opened("sqlite", one, everyName))
        expect(kept).toContainEqual(before)
        return { wasKilled, state: found._tag === "Left" ? "refused" : found.right.length === 330 ? "former" : "new" }
      }),
    )

  it("leaves the former store, the new store or a store that refuses to open, and reactivates no revoked key", async () => {
    const states: Array<string> = []
    for (let number = 0; ; number += 3) {
      const results = await Promise.all([0, 1, 2].map((more) => killedAt(number + more)))
      states.push(...results.map(({ state }) => state))
      if (results.some(({ wasKilled }) => !wasKilled)) break
    }
    // All three states occurred, in this order.
    expect([...new Set(states)]).toStrictEqual(["former", "refused", "new"])
  }, 60_000)

  inPlace("blocks every program until the restore is repeated, and leaves no empty store", (place) =>
    Effect.gen(function* () {
      yield* backedUp("sqlite", place)
      rmSync(place.path)
      writeFileSync(restoreMarker(place.path), "")
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
