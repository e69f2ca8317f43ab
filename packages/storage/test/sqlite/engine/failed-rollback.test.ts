/** A sqljs store on a disk that fails during a commit, and then also during the rollback of that commit. */
import fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { PetRepository } from "@petstore/core"
import { Effect } from "effect"
import { expect } from "vitest"
import { everyName, inPlace, opened } from "../stores-and-backups.js"

/** Makes all writes to a file fail after its next write, until the scope closes. */
const failAfterOneWrite = (path: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const { writeSync } = fs
      const { ino } = fs.statSync(path)
      let isFailing = false
      fs.writeSync = new Proxy(writeSync, {
        apply: (write, fileSystem, args: [descriptor: number, ...unknown[]]) => {
          if (fs.fstatSync(args[0]).ino === ino) {
            if (isFailing) throw Object.assign(new Error("EIO: i/o error, write"), { code: "EIO", errno: -5 })
            isFailing = true
          }
          return Reflect.apply(write, fileSystem, args)
        },
      })
      syncBuiltinESMExports()
      return writeSync
    }),
    (writeSync) =>
      Effect.sync(() => {
        fs.writeSync = writeSync
        syncBuiltinESMExports()
      }),
  )

inPlace("a sqljs store stays in use after it has undone an unfinished commit of its own", ({ path }) =>
  opened(
    "sqljs",
    path,
    Effect.gen(function* () {
      const { insert } = yield* PetRepository
      const create = (name: string) => insert({ name, categoryId: 1n })
      yield* create("before")
      yield* Effect.scoped(
        Effect.gen(function* () {
          // The first page, with a raised change counter, is written first.
          yield* failAfterOneWrite(path)
          expect(yield* Effect.flip(create("refused"))).toMatchObject({ _tag: "StorageUnavailable" })
          expect(fs.existsSync(`${path}-journal`)).toBe(true)
        }),
      )
      // The read rolls the commit back.
      expect(yield* everyName).toStrictEqual(["before"])
      yield* create("after")
      expect(yield* everyName).toStrictEqual(["before", "after"])
    }),
  ),
)
