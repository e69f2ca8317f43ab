/** The optional service `PetFreshness` of the stores that have one. Their types do not mention it. */
import { PetFreshness } from "@petstore/core"
import { Effect, Option } from "effect"

export const petFreshness = Effect.map(Effect.serviceOption(PetFreshness), Option.getOrThrow)
