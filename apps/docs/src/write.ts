/** Writes the page for the committed contract to `dist/page.html`. The running service replaces its placeholders. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import type { OpenApiDocument } from "@petstore/core/contract"
import { parseExactJson } from "@petstore/core/exact-json"
import { docsPage } from "./page.ts"

const contract = readFileSync(new URL("../../http/openapi.json", import.meta.url), "utf8")
const dist = new URL("../dist/", import.meta.url)
mkdirSync(dist, { recursive: true })
// Safe: the service writes the contract as an OpenApiDocument, and a test checks that the file is up to date.
writeFileSync(new URL("page.html", dist), docsPage(parseExactJson(contract) as OpenApiDocument))
