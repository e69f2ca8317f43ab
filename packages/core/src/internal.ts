/** The part of core for the service only. It may change in every release: other programs should not import it. */
export { containsApiKey, redactApiKeys } from "./credentials/redacted-api-keys.js"
export { claimStoreDeployment, findStoreDeployment } from "./credentials/store-deployment.js"
