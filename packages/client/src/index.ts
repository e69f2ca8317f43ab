/** The public names of `@petstore/client`. */
export type { ErrorCode } from "./advice.js"
export type { CallOptions, ChangeOptions, CreateOptions } from "./call-options.js"
export type { Categories, Category, CategoryPage, NewCategory } from "./category.js"
export type { Change, ChangedBy, ChangeFeed, ChangeOperation, ChangePage, ChangeQuery, FollowQuery, Touched } from "./change.js"
export { type Client, type ClientOptions, createClient } from "./client.js"
export {
  isPetstoreError,
  type MadeError,
  makePetstoreError,
  PetstoreError,
  type ServiceFailure,
  type UnansweredFailure,
  type UnreadableFailure,
} from "./errors.js"
export type { Inventory } from "./inventory.js"
export type { Me } from "./me.js"
export type { EndedCall, Observers, ReceivedResponse, Retry, SentRequest } from "./observers.js"
export type { NewOrder, Order, OrderChange, OrderPage, OrderQuery, OrderStatus, Orders } from "./order.js"
export type { ListQuery, Page, PetQuery } from "./page.js"
export type { NewPet, Pet, PetCorrection, PetStatus } from "./pet.js"
export type { Fetch, FetchRequest, FetchResponse, ResponseHeaders, Signal } from "./platform.js"
export type { Result } from "./result.js"
export { verifyWebhook, type WebhookEvent, type WebhookHeaders } from "./webhook.js"
