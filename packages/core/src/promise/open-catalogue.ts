import type { Catalogue } from "./catalogue.js"
import { catalogueOf } from "./open.js"
import type { PromisePetRepository } from "./pet-repository.js"
import { promisePetRepository } from "./pet-repository-layer.js"

/**
 * Opens your own repository, and returns the operations on its pets as promises. If the repository cannot be opened, rejects with
 * the error that `open` threw. For the stores in `@petstore/storage`, use its `openPetstore`.
 *
 * @param open  opens the repository; called once
 */
export const openCatalogue = (open: () => PromisePetRepository | Promise<PromisePetRepository>): Promise<Catalogue> =>
  catalogueOf(promisePetRepository(open))
