/** The parts that HTTP adds to the domain, shared by servers and clients. */
export { CredentialMissing, decodeAuthorization } from "./authorization.js"
export { type Deprecation, deprecationOf, getPetDeprecation } from "./deprecation.js"
export { type ErrorObject, errorStatuses, makeErrorObject } from "./error-object.js"
export { failureGuide, type Guidance } from "./failure-guide.js"
export { type ErrorCode, errorCodes, type FailureFacts, factsOf, failures } from "./failures.js"
export { decodeIdempotencyKey } from "./idempotency-key.js"
export { type JsonSchema, jsonSchemas } from "./json-schemas.js"
export {
  type Content,
  type DescribedResponse,
  type Example,
  type Header,
  type MediaType,
  type Method,
  nameOf,
  type OpenApiDocument,
  type Operation,
  operationsOf,
  type PathItem,
  type PlacedOperation,
  type Reference,
  resolved,
  type ServerEntry,
} from "./openapi.js"
export {
  codesOfEvery,
  type Description,
  descriptionOf,
  type OperationName,
  operations,
  pathOf,
} from "./operations.js"
export { type Parameter, type ParameterName, parameters, queryParameterNames } from "./parameters.js"
export type { CodeOf, RequestFailure } from "./request-failure.js"
export { failureHeaders, toErrorObject } from "./request-failure.js"
export { basePath } from "./resources.js"
export {
  type Agreed,
  type CreateUseCase,
  type ListUseCase,
  type OneUseCase,
  type PatchUseCase,
  type RemoveUseCase,
  type ReplaceUseCase,
  useCases,
} from "./use-cases.js"
export { type Sample, type Words, words } from "./words.js"
