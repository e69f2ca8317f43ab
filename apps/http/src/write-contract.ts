/** Prints the contract as it is committed: `npm run mend` keeps it in `openapi.json`. */
import { operations } from "./http/operations.js"
import { openApiDocument, openApiText } from "./openapi/document.js"
import { relativeServers } from "./openapi/servers.js"

process.stdout.write(openApiText(openApiDocument(operations, relativeServers)))
