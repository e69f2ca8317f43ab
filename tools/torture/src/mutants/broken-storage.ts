/** Takes the place of the module that opens the store: opens the real one, and breaks it. */
import { PetRepository } from "@petstore/core"
import type { storage as realStorage } from "@petstore/storage"
import { Context, Effect, Layer } from "effect"
import { mutations } from "./mutations.ts"

// biome-ignore lint/style/noProcessEnv: this module is loaded into another program, which reads its own settings
const mutate = mutations[process.env["TORTURE_MUTANT"] ?? ""] ?? ((pets) => pets)

const real: { readonly storage: typeof realStorage } = await import(
  new URL("./storage.js", import.meta.resolve("@petstore/storage")).href
)

export const storage: typeof realStorage = (url, options) =>
  Layer.flatMap(real.storage(url, options), (context) =>
    Layer.effectContext(
      Effect.map(
        Effect.suspend(() => {
          const broken = mutate(Context.get(context, PetRepository))
          return Effect.isEffect(broken) ? broken : Effect.succeed(broken)
        }),
        (pets) => Context.add(context, PetRepository, pets),
      ),
    ),
  )
