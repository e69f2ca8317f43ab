/** What only the service and its stores need of core. It may change in every release: no other program should import it. */
export { DeprecatedCallRepository, type DeprecatedCalls } from "./credentials/deprecated-call-repository.js"
export { containsApiKey, redactApiKeys } from "./credentials/redacted-api-keys.js"
export { claimStoreDeployment, findStoreDeployment } from "./credentials/store-deployment.js"
