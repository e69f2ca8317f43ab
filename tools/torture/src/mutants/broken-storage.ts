/** Replaces the module that opens the store: it opens the real store and breaks it. */
import { OrderRepository, PetRepository } from "@petstore/core"
import type { serviceStorage as realStorage } from "@petstore/storage/internal"
import { Context, Effect, Layer } from "effect"
import { changeMutations } from "./change-mutations.ts"
import { mutations } from "./mutations.ts"
import { orderMutations } from "./order-mutations.ts"

// biome-ignore lint/style/noProcessEnv: this module is loaded into another program, which reads its own settings
const mutant = process.env["TORTURE_MUTANT"] ?? ""
const mutate = mutations[mutant] ?? changeMutations[mutant] ?? ((pets) => pets)
const mutateOrders = orderMutations[mutant] ?? ((orders) => orders)

const real: { readonly serviceStorage: typeof realStorage } = await import(
  new URL("../../../../apps/http/dist/storage.js", import.meta.url).href
)

export const serviceStorage: typeof realStorage = (url, options) =>
  Layer.flatMap(real.serviceStorage(url, options), (context) =>
    Layer.effectContext(
      Effect.map(
        Effect.suspend(() => {
          const broken = mutate(Context.get(context, PetRepository))
          return Effect.isEffect(broken) ? broken : Effect.succeed(broken)
        }),
        (pets) =>
          context.pipe(
            Context.add(PetRepository, pets),
            Context.add(OrderRepository, mutateOrders(Context.get(context, OrderRepository), pets)),
          ),
      ),
    ),
  )
