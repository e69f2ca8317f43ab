/** Writes the docs page for the committed contract, and the guides, to `dist`. The running service replaces their placeholders. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import type { OpenApiDocument } from "@petstore/core/contract"
import { parseExactJson } from "@petstore/core/exact-json"
import { guidePage, guides } from "./guide-page.ts"
import { docsPage } from "./page.ts"

const contract = readFileSync(new URL("../../http/openapi.json", import.meta.url), "utf8")
// Safe: the service writes the contract as an OpenApiDocument, and a test checks that the file is up to date.
const document = parseExactJson(contract) as OpenApiDocument
const dist = new URL("../dist/", import.meta.url)
mkdirSync(dist, { recursive: true })
writeFileSync(new URL("page.html", dist), docsPage(document))
for (const guide of guides) writeFileSync(new URL(`${guide.id}.html`, dist), guidePage(document, guide))
