/** Detects a disk that was remounted read-only after an error, and files that were removed while a service was using them. */
import { accessSync, constants } from "node:fs"
import { dirname } from "node:path"
import { StorageUnavailable } from "@petstore/core"
import * as Effect from "effect/Effect"
import { explain } from "./errors.js"
import { fileBehind } from "./store-file.js"

/** Fails while a SQLite file or its folder is read-only or missing, because new pets would be refused or lost. */
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
