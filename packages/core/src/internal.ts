/** The part of core for the service and its stores only. It may change in every release: other programs should not import it. */
export { DeprecatedCallRepository, type DeprecatedCalls } from "./credentials/deprecated-call-repository.js"
export { containsApiKey, redactApiKeys } from "./credentials/redacted-api-keys.js"
export { claimStoreDeployment, findStoreDeployment } from "./credentials/store-deployment.js"
