import { PetFreshness } from "@petstore/core"
import * as Option from "effect/Option"
import type { Catalogue } from "./engine/catalogue.js"

export const memoryPetFreshness = (catalogue: Catalogue) =>
  PetFreshness.of({
    revision: () => Option.some({ insertions: catalogue.pets.length, changes: catalogue.changes }),
    together: (work) => work(),
  })
