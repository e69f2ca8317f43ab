/** The inventory with plain functions and promises. None of these names exposes an Effect type. */
export { type Category, encodeCategories, encodeCategory, type NewCategory } from "../categories/category.js"
export type { Actor, Caller } from "../changes/actor.js"
export {
  type Change,
  type ChangedBy,
  type ChangeFilters,
  type ChangeOperation,
  type ChangePlace,
  type ChangesFound,
  changeOperations,
  encodeChange,
  encodeChanges,
  type Touched,
} from "../changes/change.js"
export type { ErrorObject } from "../contract/error-object.js"
export type { ErrorCode } from "../contract/failures.js"
export type { Account, Me, NewApiKey } from "../credentials/account.js"
export { type Deployment, deployments } from "../credentials/deployment.js"
export type { IdempotencyClaim, MadeOnce } from "../idempotency.js"
export type { Inventory } from "../inventory/inventory.js"
export type { FieldProblem } from "../json/field-problem.js"
export {
  encodeOrder,
  encodeOrders,
  type NewOrder,
  type Order,
  type OrderChange,
  type OrderFilters,
  type ValidNewOrder,
  type ValidOrderChange,
} from "../orders/order.js"
export { type OrderClosing, type OrderStatus, orderStatuses } from "../orders/order-status.js"
export { wordsOf } from "../pets/name-words.js"
export { newPetStandard, type StandardSchema } from "../pets/new-pet-standard.js"
export {
  type Batches,
  encodePet,
  encodePets,
  isPetStatus,
  type NewPet,
  type NewPetJson,
  type Pet,
  type PetCorrection,
  type PetInText,
  type PetStatus,
  petStatuses,
  petToJson,
  type ValidNewPet,
  type ValidPetCorrection,
} from "../pets/pet.js"
export { type PetFilters, type PetOrder, type PetSearch, type PetsFound, searchAmong } from "../pets/pet-search.js"
export type { Accounts, ApiKey, ApiKeys, CreatedApiKey, RotatedApiKey } from "./accounts.js"
export type { Catalogue, EveryQuery, OnceOptions, Page, PageQuery, PetQuery } from "./catalogue.js"
export {
  decodeAuthorization,
  decodeCategoryId,
  decodeCategoryQuery,
  decodeIdempotencyKey,
  decodeNewCategory,
  decodeNewOrder,
  decodeNewPet,
  decodeOrder,
  decodeOrderChange,
  decodeOrderId,
  decodeOrderQuery,
  decodePet,
  decodePetCorrection,
  decodePetId,
  decodePetQuery,
  parseNewCategory,
  parseNewOrder,
  parseNewPet,
  parseOrder,
  parseOrderChange,
  parsePet,
  parsePetCorrection,
  petFromJson,
} from "./decode.js"
export { isListFailed, type ListFailed } from "./list-failed.js"
export { openCatalogue, openRepositories } from "./open-catalogue.js"
export type { PromisePetRepository, PromisePetSelection } from "./pet-repository.js"
export type {
  Categories,
  CategoryCondition,
  ChangeFeed,
  ChangeQuery,
  FollowQuery,
  OrderQuery,
  Orders,
  Petstore,
} from "./petstore.js"
export type {
  OrderRefusedFor,
  PromiseCategoryRepository,
  PromiseChangeRepository,
  PromiseChangeSelection,
  PromiseCredentialRepository,
  PromiseInventoryRepository,
  PromiseOrderRepository,
  PromiseOrderSelection,
  PromiseRepositories,
} from "./repositories.js"
export type { Failure, FailureCode, OnceResult, Result } from "./result.js"
export type { CallSignal } from "./signal.js"
export { storageUnavailable } from "./storage-unavailable.js"
