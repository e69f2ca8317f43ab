/** The contract, and the HTML pages (documentation and counter) with their style sheets and scripts. None of them needs a key. */
import { openApiText } from "../../openapi/document.js"
import { builtFile } from "../../package-files.js"
import type { Handler } from "../exchange.js"
import type { Parts } from "../operation.js"
import { fixedResponse } from "../response/fixed-response.js"
import { sendEmpty } from "../response/send.js"

/** Allows only resources from this origin and images in data URLs, no inline scripts or styles, and no frame around the page. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join("; ")

/** How long a browser must use TLS (RFC 6797), in seconds: two years. */
const alwaysTls = { "Strict-Transport-Security": "max-age=63072000" }

const htmlPage = (page: string, { tlsInFront }: Parts): Handler => {
  const headers = {
    "Content-Security-Policy": contentSecurityPolicy,
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    ...(tlsInFront ? alwaysTls : {}),
  }
  return fixedResponse("text/html; charset=utf-8", page, Object.entries(headers).flat())
}

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }

const fill = (template: string, values: Readonly<Record<string, string>>): string =>
  template.replace(/\{\{(\w+)\}\}/g, (place, name: string) =>
    (values[name] ?? place).replace(/[&<>"]/g, (character) => entities[character] ?? ""),
  )

/** The deployment decides which keys the page explains. Relative addresses are left out, because they are useless to a reader. */
export const filledPage = (page: string, { deployment, servers }: Pick<Parts, "deployment" | "servers">): string => {
  const absolute = servers.filter(({ url }) => url.startsWith("http"))
  const rows = (row: string) => absolute.map(({ url, description }) => fill(row, { url, description })).join("")
  const base = servers[0]?.url.startsWith("http") === true ? servers[0].url : "https://petstore.example/v1"
  return fill(
    page.replace(/<!--server-->(.*?)<!--\/server-->/s, (_whole, row: string) => rows(row)),
    { deployment, base },
  )
}

/** `GET /openapi.json`, the contract. */
export const contract = ({ document }: Parts): Handler => fixedResponse("application/json", openApiText(document))

/** `GET /docs`, the documentation for people, and the guides beside it. @param name  the page's file in the build output */
export const docsPage =
  (name = "page") =>
  (parts: Parts): Handler =>
    htmlPage(filledPage(builtFile(`docs/${name}.html`), parts), parts)

/** `GET /`. */
export const toDocs =
  ({ pathPrefix }: Parts): Handler =>
  (exchange) =>
    sendEmpty(exchange, 302, ["Location", `${pathPrefix}/docs`, "Content-Length", "0"])

/** `GET /store`, the counter for store staff, who need a key to use it. */
export const storePage = (parts: Parts): Handler =>
  htmlPage(fill(builtFile("store/page.html"), { deployment: parts.deployment }), parts)

/** @param path  path of a file in the build output: `docs/page.css` */
export const asset = (path: string, type: string) => (): Handler => fixedResponse(`${type}; charset=utf-8`, builtFile(path))
