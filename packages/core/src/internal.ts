/** Exports that only the service uses. They may change in any release, so other programs should not import them. */

export { encodeTouched } from "./changes/change.js"
export { checksumOf } from "./crc32.js"
export { containsApiKey, redactApiKeys } from "./credentials/redacted-api-keys.js"
export { claimStoreDeployment, findStoreDeployment } from "./credentials/store-deployment.js"
export { failure } from "./failure.js"
export { sentenceOf } from "./json/field-problem.js"
export { int64OfText } from "./json/int64.js"
export { showJson } from "./json/json.js"
export { foldedName } from "./json/near-miss.js"
export { checkParameterNames } from "./page.js"
export { newPetDecoder } from "./pets/pet-decoders.js"
export { spannedPort, withoutSpan } from "./use-case.js"
