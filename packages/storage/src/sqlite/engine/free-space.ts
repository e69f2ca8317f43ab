/** Whether the disk of a store is full. */
import { dirname } from "node:path"
import { StorageUnavailable } from "@petstore/core"
import * as Effect from "effect/Effect"
import { freeBytes } from "./room.js"
import { fileBehind } from "./store-file.js"

/** With less than this, in bytes, a disk is full: a transaction and its log do not fit. */
const minimumBytes = 65_536

/**
 * Fails while the disk of a SQLite file is full: reads work, but no write succeeds.
 *
 * @param folder  an existing one, on that disk
 */
export const refuseFullDisk = (path: string, folder = dirname(fileBehind(path))): Effect.Effect<void, StorageUnavailable> =>
  Effect.suspend(() => {
    try {
      if (freeBytes(folder) >= minimumBytes) return Effect.void
    } catch (cause) {
      return new StorageUnavailable({ cause })
    }
    const cause = new Error(`The disk of ${path} is full. Make room: df -h ${folder}`)
    return new StorageUnavailable({ cause, reason: "The disk of the store is full. Reads work, writes are refused." })
  })
