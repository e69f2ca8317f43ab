export { randomBase62 } from "./base62.js"
export {
  type CategoryPageRequest,
  decodeCategoryId,
  decodeCategoryPageRequest,
  getCategory,
  listCategories,
  removeCategory,
  replaceCategory,
  streamCategories,
} from "./categories/categories.js"
export {
  type Category,
  type CategoryId,
  encodeCategories,
  encodeCategory,
  type NewCategory,
} from "./categories/category.js"
export { decodeNewCategory } from "./categories/category-decoder.js"
export { CategoryRepository, type CategorySelection } from "./categories/category-repository.js"
export type { Actor, Caller } from "./changes/actor.js"
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
  petIdOf,
  type Touched,
} from "./changes/change.js"
export { ChangeRepository, type ChangeSelection } from "./changes/change-repository.js"
export {
  type ChangePageRequest,
  decodeChangePageRequest,
  listChanges,
  type PartialChangeRequest,
  restorePet,
} from "./changes/changes.js"
export { claimRequest } from "./claim-request.js"
export { type Condition, compareAndSet, meet } from "./condition.js"
export type { Account, AccountId, ApiKeyId, Me, NewApiKey } from "./credentials/account.js"
export { decodeApiKey, generateApiKey } from "./credentials/api-key.js"
export { AccountName, type ApiKey, KeyLabel } from "./credentials/credential.js"
export { CredentialRepository } from "./credentials/credential-repository.js"
export {
  authenticate,
  type CreatedApiKey,
  createAccount,
  createApiKey,
  disableAccount,
  enableAccount,
  isUsable,
  listAccounts,
  listApiKeys,
  mintFirstApiKey,
  type RotatedApiKey,
  requireWriting,
  revokeApiKey,
  rotateApiKey,
} from "./credentials/credentials.js"
export { Cryptography } from "./credentials/cryptography.js"
export { type Deployment, deployments } from "./credentials/deployment.js"
export { DeploymentRepository } from "./credentials/deployment-repository.js"
export { DeprecatedCallRepository, type DeprecatedCalls } from "./credentials/deprecated-call-repository.js"
export { getMe } from "./credentials/me.js"
export { checkStoreDeployment } from "./credentials/store-deployment.js"
export {
  AccountNameTaken,
  AccountNotFound,
  type AdministrationError,
  ApiKeyChanged,
  ApiKeyInactive,
  ApiKeyNotFound,
  ApiKeyReadOnly,
  CategoryNotFound,
  CredentialRejected,
  CursorExpired,
  DeploymentMismatch,
  IdempotencyKeyReused,
  OrderClosed,
  OrderNotCompleted,
  OrderNotFound,
  PetChanged,
  PetNotAvailable,
  PetNotFound,
  PetReserved,
  type PetstoreError,
  PreconditionFailed,
  SoldPetChanged,
  StorageUnavailable,
  TooManyWaiting,
} from "./errors.js"
export { type IdempotencyClaim, idempotencyLifetimeMillis, type MadeOnce } from "./idempotency.js"
export { getInventory } from "./inventory/get-inventory.js"
export { type Inventory, inventoryOf } from "./inventory/inventory.js"
export { InventoryRepository } from "./inventory/inventory-repository.js"
export { decodeBody } from "./json/body.js"
export { NonInt64Number } from "./json/exact-json.js"
export type { FieldProblem } from "./json/field-problem.js"
export { Int64, int64FromText, maxInt64, minInt64 } from "./json/int64.js"
export { InvalidBody, InvalidJson, InvalidParameter } from "./json/invalid-input.js"
export { decodeJson } from "./json/json.js"
export { storableText } from "./json/text.js"
export {
  encodeOrder,
  encodeOrders,
  type OrderChange,
  type OrderFilters,
  type OrderJson,
  type ValidNewOrder,
  type ValidOrderChange,
} from "./orders/order.js"
export { decodeNewOrder, decodeOrder, decodeOrderChange } from "./orders/order-decoders.js"
export { type OrderRefusal, OrderRepository, type OrderSelection } from "./orders/order-repository.js"
export {
  checkClosing,
  type OrderClosing,
  type OrderStatus,
  orderClosings,
  orderPlacement,
  orderReturn,
  orderStatuses,
} from "./orders/order-status.js"
export {
  cancelOrder,
  changeOrder,
  completeOrder,
  createOrder,
  createOrderOnce,
  decodeOrderId,
  decodeOrderPageRequest,
  getOrder,
  listOrders,
  type OrderPageRequest,
  returnOrder,
  streamOrders,
} from "./orders/orders.js"
export {
  type EveryRequest,
  type Filters,
  type NextRequest,
  type Page,
  type PageRequest,
  type PartialRequest,
  pageLimits,
  type ValuesOf,
} from "./page.js"
export { createPets } from "./pets/create-pets.js"
export { wordsOf } from "./pets/name-words.js"
export { newPetStandard, type StandardSchema } from "./pets/new-pet-standard.js"
export {
  type Batches,
  correctedPet,
  encodePet,
  encodePets,
  isPetStatus,
  type NewPetJson,
  type PetCorrection,
  type PetInText,
  type PetJson,
  petStatuses,
  petToJson,
  type ValidNewPet,
  type ValidPetCorrection,
} from "./pets/pet.js"
export { decodeNewPet, decodePet, decodePetCorrection, petFromJson } from "./pets/pet-decoders.js"
export { PetFreshness, type PetRevision } from "./pets/pet-freshness.js"
export {
  type CorrectionOfPet,
  type CorrectionOutcome,
  type PetRefusal,
  PetRepository,
  type PetSelection,
} from "./pets/pet-repository.js"
export {
  foundOf,
  type PetFilters,
  type PetOrder,
  type PetSearch,
  type PetsFound,
  readMaximum,
  searchAmong,
} from "./pets/pet-search.js"
export {
  correctPet,
  createPet,
  createPetOnce,
  decodePetId,
  decodePetPageRequest,
  getPet,
  listPets,
  type PetPageRequest,
  removePet,
  streamPets,
} from "./pets/pets.js"
export { Readiness } from "./readiness.js"
export { NewOrder, NewPet, Order, OrderId, Pet, PetId, PetName, PetStatus } from "./schemas.js"
export {
  failingMaximumMillis,
  nextTryMillis,
  triesInOrder,
  triesMaximum,
} from "./webhooks/retries.js"
export {
  deliveriesKept,
  isTaken,
  newDelivery,
  type Webhook,
  type WebhookDelivery,
  type WebhookDisabled,
  type WebhookProgress,
  type WebhookSettings,
  whyDisabled,
} from "./webhooks/webhook.js"
export { WebhookRepository } from "./webhooks/webhook-repository.js"
