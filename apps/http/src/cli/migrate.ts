/** `petstore migrate`: brings the schema of the store up to date, which opening it does. */
import { Effect } from "effect"
import { type OutputOptions, print } from "./output.js"
import { withKeptServices } from "./program.js"

export const migrate = (options: OutputOptions) =>
  withKeptServices(() => Effect.sync(() => print(options, { migrated: true }, "The schema of the store is up to date.")), {
    migrate: true,
  })
