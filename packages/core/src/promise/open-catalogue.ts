import type { Catalogue } from "./catalogue.js"
import { catalogueOf } from "./open.js"
import type { PromisePetRepository } from "./pet-repository.js"
import { promisePetRepository } from "./pet-repository-layer.js"

/**
 * Opens your own repository, and returns the operations on its pets as promises. Rejects if it cannot be opened: with a
 * `StorageUnavailable` whose `cause` is what `open` threw. For the stores of `@petstore/storage` see `openPetstore` there.
 *
 * @param open  opens the repository; called once
 */
export const openCatalogue = (open: () => PromisePetRepository | Promise<PromisePetRepository>): Promise<Catalogue> =>
  catalogueOf(promisePetRepository(open))
