/** The public names of `@petstore/core/contract`: what HTTP adds to the domain, shared by what serves and what calls. */
export { CredentialMissing, decodeAuthorization } from "./authorization.js"
export { getPetDeprecation } from "./deprecation.js"
export {
  type CodeOf,
  type ErrorCode,
  type ErrorObject,
  errorStatuses,
  makeErrorObject,
  type RequestFailure,
  toErrorObject,
} from "./error-object.js"
export { failureHeaders } from "./failure-headers.js"
export { decodeIdempotencyKey } from "./idempotency-key.js"
export { type JsonSchema, jsonSchemas } from "./json-schemas.js"
export { basePath, type OperationName, operations, pathOf } from "./operations.js"
