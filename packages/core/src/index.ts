/** The public names of `@petstore/core`. */
export { randomBase62 } from "./base62.js"
export { decodeApiKey, generateApiKey } from "./credentials/api-key.js"
export { type Account, type AccountId, AccountName, type ApiKey, type ApiKeyId, KeyLabel } from "./credentials/credential.js"
export { CredentialRepository } from "./credentials/credential-repository.js"
export {
  authenticate,
  type CreatedApiKey,
  createAccount,
  createApiKey,
  isUsable,
  type RotatedApiKey,
  revokeApiKey,
  rotateApiKey,
} from "./credentials/credentials.js"
export { Cryptography } from "./credentials/cryptography.js"
export { type Deployment, deployments } from "./credentials/deployment.js"
export { DeploymentRepository } from "./credentials/deployment-repository.js"
export { DeprecatedCallRepository, type DeprecatedCalls } from "./credentials/deprecated-call-repository.js"
export { mintFirstApiKey } from "./credentials/first-api-key.js"
export { hideApiKeys, showsApiKey } from "./credentials/hidden-api-keys.js"
export { checkStoreDeployment, claimStoreDeployment, findStoreDeployment } from "./credentials/store-deployment.js"
export {
  AccountNameTaken,
  AccountNotFound,
  type AdministrationError,
  ApiKeyChanged,
  ApiKeyInactive,
  ApiKeyNotFound,
  CredentialRejected,
  IdempotencyKeyReused,
  OrderClosed,
  OrderNotFound,
  PetNotAvailable,
  PetNotFound,
  type PetstoreError,
  StorageUnavailable,
  StoreOfAnotherDeployment,
} from "./errors.js"
export { claimRequest, type IdempotencyClaim, idempotencyLifetimeMillis } from "./idempotency.js"
export { type Inventory, inventoryOf } from "./inventory/inventory.js"
export { InventoryRepository } from "./inventory/inventory-repository.js"
export { decodeBody } from "./json/body.js"
export { NonInt64Number } from "./json/exact-json.js"
export { Int64, int64FromText, maxInt64, minInt64 } from "./json/int64.js"
export { type FieldProblem, InvalidBody, InvalidJson, InvalidParameter } from "./json/invalid-input.js"
export { decodeJson } from "./json/json.js"
export { storableText } from "./json/text.js"
export { decodeNewOrder, encodeOrder, encodeOrders, type Order } from "./orders/order.js"
export { type OrderRefusal, OrderRepository, type OrderSelection } from "./orders/order-repository.js"
export {
  checkClosing,
  type OrderClosing,
  type OrderStatus,
  orderClosings,
  orderPlacement,
  orderStatuses,
} from "./orders/order-status.js"
export {
  closeOrder,
  createOrder,
  createOrderOnce,
  decodeOrderId,
  decodeOrderPageRequest,
  getOrder,
  listOrders,
  type OrderPageRequest,
  streamOrders,
} from "./orders/orders.js"
export { type Page, type PageRequest, pageLimits } from "./page.js"
export { decodeNewPet, encodePet, encodePets, type NewPetJson, type Pet } from "./pets/pet.js"
export { PetRepository, type PetRevision, type PetSelection } from "./pets/pet-repository.js"
export { isPetStatus, petStatuses } from "./pets/pet-status.js"
export {
  createPet,
  createPetOnce,
  decodePetId,
  decodePetPageRequest,
  getPet,
  listPets,
  type PetPageRequest,
  streamPets,
} from "./pets/pets.js"
export { Readiness } from "./readiness.js"
export { NewOrder, NewPet, OrderId, PetId, PetName, PetStatus } from "./schemas.js"
