import { accessSync, constants } from "node:fs"
import { dirname } from "node:path"
import { StorageUnavailable } from "@petstore/core"
import * as Effect from "effect/Effect"
import { explain } from "./errors.js"
import { freeBytes } from "./room.js"
import { fileBehind } from "./store-file.js"

/** A disk with less free space than this, in bytes, counts as full, because a transaction and its log would not fit. */
const minimumBytes = 65_536

/** Fails while a SQLite file's disk is full, so that only reads work. `folder` is an existing folder on that disk. */
export const refuseFullDisk = (path: string, folder = dirname(fileBehind(path))): Effect.Effect<void, StorageUnavailable> =>
  Effect.suspend(() => {
    try {
      if (freeBytes(folder) >= minimumBytes) return Effect.void
    } catch (cause) {
      return new StorageUnavailable({ cause })
    }
    const cause = new Error(`The disk with ${path} is full. Make room: df -h ${folder}`)
    return new StorageUnavailable({ cause, reason: "The store's disk is full. Reads still work, but writes are refused." })
  })

/** Fails while a SQLite file or its folder is missing or read-only, as after a disk error. New pets would be refused or lost. */
export const refuseUnwritable = (path: string): Effect.Effect<void, StorageUnavailable> =>
  Effect.suspend(() => {
    const file = fileBehind(path)
    try {
      for (const place of [file, dirname(file)]) accessSync(place, constants.W_OK)
      return Effect.void
    } catch (thrown) {
      const cause = new Error(`${path}: ${explain(thrown, file)}`, { cause: thrown })
      return new StorageUnavailable({ cause, reason: "The store's file is missing or not writable. New pets are not saved." })
    }
  })
