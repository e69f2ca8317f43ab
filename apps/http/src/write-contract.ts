/** Prints the contract for `openapi.json`, which `npm run fix` updates. */
import { operations } from "@petstore/core/contract"
import { openApiDocument, openApiText } from "./openapi/document.js"
import { unknownServers } from "./openapi/servers.js"

process.stdout.write(openApiText(openApiDocument(operations, unknownServers)))
