import * as Effect from "effect/Effect"
import { StorageNotOpened } from "./storage-not-opened.js"

/** Loads `@petstore/sqljs`, which a program installs only if it uses sql.js. */
export const sqljs = Effect.tryPromise({
  try: () => import("@petstore/sqljs"),
  catch: (cause) =>
    new StorageNotOpened({
      reason: "This store needs @petstore/sqljs, which cannot be loaded: npm install @petstore/sqljs.",
      cause,
    }),
})
