/** The public names of `@petstore/core`. */
export { decodeApiKey, decodeAuthorization, generateApiKey } from "./api-key.js"
export { type Account, AccountId, AccountName, type ApiKey, ApiKeyId } from "./credential.js"
export { CredentialRepository } from "./credential-repository.js"
export { authenticate, type CreatedApiKey, createAccount, createApiKey, revokeApiKey } from "./credentials.js"
export { Cryptography } from "./cryptography.js"
export { type Deployment, deployments } from "./deployment.js"
export { DeprecatedCallRepository, type DeprecatedCalls } from "./deprecated-call-repository.js"
export { getPetDeprecation } from "./deprecation.js"
export { type ErrorCode, type ErrorObject, errorObject, errorStatuses, toErrorObject } from "./error-object.js"
export {
  AccountNameTaken,
  AccountNotFound,
  ApiKeyNotFound,
  CredentialMissing,
  CredentialRejected,
  type FieldProblem,
  IdempotencyKeyReused,
  InvalidBody,
  InvalidJson,
  InvalidParameter,
  OrderClosed,
  OrderNotFound,
  PetNotAvailable,
  PetNotFound,
  type PetstoreError,
  StorageUnavailable,
} from "./errors.js"
export { OtherNumber } from "./exact-json.js"
export { mintFirstApiKey } from "./first-api-key.js"
export { hideApiKeys, showsApiKey } from "./hidden-api-keys.js"
export { claimRequest, decodeIdempotencyKey, type IdempotencyClaim, idempotencyLifetimeMillis } from "./idempotency.js"
export { Int64, int64FromText, maxInt64, minInt64 } from "./int64.js"
export { type Inventory, inventoryOf } from "./inventory.js"
export { InventoryRepository } from "./inventory-repository.js"
export { decodeJson } from "./json.js"
export { type JsonSchema, jsonSchemas } from "./json-schemas.js"
export { decodeNewMessage, type Message, NewMessage } from "./message.js"
export { MessageRepository } from "./message-repository.js"
export { queueMessage } from "./messages.js"
export { decodeNewOrder, encodeOrder, encodeOrders, NewOrder, type Order, OrderId } from "./order.js"
export { type OrderRefusal, OrderRepository, type OrderSelection } from "./order-repository.js"
export { type Closing, closings, effectOf, type OrderStatus, orderStatuses, placing } from "./order-status.js"
export {
  closeOrder,
  createOrder,
  createOrderOnce,
  decodeOrderPageRequest,
  getOrder,
  listOrders,
  type OrderPageRequest,
} from "./orders.js"
export { limits, type Page, type PageRequest } from "./page.js"
export { decodeNewPet, encodePet, encodePets, NewPet, type Pet, PetId, PetName, type UnbrandedPet } from "./pet.js"
export { PetRepository, type PetRevision, type PetSelection } from "./pet-repository.js"
export { isPetStatus, PetStatus, petStatuses } from "./pet-status.js"
export { createPet, createPetOnce, decodePetPageRequest, getPet, listPets, type PetPageRequest } from "./pets.js"
export { Readiness } from "./readiness.js"
