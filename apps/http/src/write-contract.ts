/** Prints the contract as it is committed: `npm run mend` keeps it in `openapi.json`. */
import { operations } from "@petstore/core/contract"
import { openApiDocument, openApiText } from "./openapi/document.js"
import { unknownServers } from "./openapi/servers.js"

process.stdout.write(openApiText(openApiDocument(operations, unknownServers)))
