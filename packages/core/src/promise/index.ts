/** The public names of `@petstore/core/promise`: the catalogue of pets in plain functions and promises. */

export { encodePet } from "../pets/pet.js"
export { type Inventory, openInventory, type Page, type PetQuery } from "./inventory.js"
export { decodeNewPet, type NewPet, type Pet } from "./pet.js"
export {
  type PromisePetRepository,
  type PromisePetSelection,
  promisePetRepository,
} from "./pet-repository.js"
export type { Failure, Result } from "./result.js"
