/** The service `PetFreshness` of the stores that provide it, although their types do not mention it. */
import { PetFreshness } from "@petstore/core"
import { Effect, Option } from "effect"

export const petFreshness = Effect.map(Effect.serviceOption(PetFreshness), Option.getOrThrow)
