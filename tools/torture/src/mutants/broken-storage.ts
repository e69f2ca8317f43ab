/** Replaces the module that opens the store. This module opens the real store, and breaks its repositories. */
import { ChangeRepository, OrderRepository, PetFreshness, PetRepository } from "@petstore/core"
import type { serviceStorage as realStorage } from "@petstore/storage/internal"
import { Context, Effect, Layer } from "effect"
import type { Broken } from "./breaking.ts"
import { mutations } from "./mutations.ts"

// biome-ignore lint/style/noProcessEnv: this module is loaded into another program, which reads its own settings
const mutate = mutations[process.env["TORTURE_MUTANT"] ?? ""] ?? ((): Broken => ({}))

const real: { readonly serviceStorage: typeof realStorage } = await import(
  new URL("../../../../apps/http/dist/storage.js", import.meta.url).href
)

export const serviceStorage: typeof realStorage = (url, options) =>
  Layer.flatMap(real.serviceStorage(url, options), (context) => {
    const pets = Context.get(context, PetRepository)
    const orders = Context.get(context, OrderRepository)
    const changes = Context.get(context, ChangeRepository)
    return Layer.effectContext(
      Effect.map(
        Effect.suspend(() => {
          const broken = mutate({ pets, orders, changes })
          return Effect.isEffect(broken) ? broken : Effect.succeed(broken)
        }),
        (broken) =>
          context.pipe(
            // Cached pages would hide faults.
            Context.omit(PetFreshness),
            Context.add(PetRepository, { ...pets, ...broken.pets }),
            Context.add(OrderRepository, { ...orders, ...broken.orders }),
            Context.add(ChangeRepository, { ...changes, ...broken.changes }),
          ),
      ),
    )
  })
