/** Prints the contract as it is committed: `npm run openapi` keeps it in `openapi.json`. */
import { openApiDocument, openApiText } from "./document.js"
import { relativeServers } from "./servers.js"

process.stdout.write(openApiText(openApiDocument(relativeServers)))
