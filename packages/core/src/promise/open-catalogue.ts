import type { Catalogue } from "./catalogue.js"
import { catalogueOf, petstoreOf } from "./open.js"
import { promisePetRepository } from "./pet-port.js"
import type { PromisePetRepository } from "./pet-repository.js"
import type { Petstore } from "./petstore.js"
import type { PromiseRepositories } from "./repositories.js"
import { promiseRepositories } from "./repositories-layer.js"

/**
 * Opens your own repository, and returns the operations on its pets as promises. If the repository cannot be opened, rejects with
 * the error that `open` threw. For the stores in `@petstore/storage`, use its `openPetstore`.
 *
 * @param open  opens the repository; called once
 */
export const openCatalogue = (open: () => PromisePetRepository | Promise<PromisePetRepository>): Promise<Catalogue> =>
  catalogueOf(promisePetRepository(open))

/**
 * Opens a store of your own that has every port, and returns all operations as promises. If the store cannot be opened, rejects
 * with the error that `open` threw.
 *
 * @param open  opens the store; called once
 * @experimental
 */
export const openRepositories = (
  open: () => Required<PromiseRepositories> | Promise<Required<PromiseRepositories>>,
): Promise<Petstore> => petstoreOf(promiseRepositories(open))
