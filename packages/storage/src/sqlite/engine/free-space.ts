import { dirname } from "node:path"
import { StorageUnavailable } from "@petstore/core"
import * as Effect from "effect/Effect"
import { freeBytes } from "./room.js"
import { fileBehind } from "./store-file.js"

/** A disk with less free space than this, in bytes, counts as full, because a transaction and its log would not fit. */
const minimumBytes = 65_536

/**
 * Fails while a SQLite file's disk is full. Reads still work, but no write succeeds.
 *
 * @param folder an existing folder on that disk
 */
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
