/** `GET /docs`: the page for people, with its style sheet and scripts, without a key. `GET /` leads there. */
import { builtFile } from "../../built-file.js"
import type { Handler } from "../exchange.js"
import type { Parts } from "../operation.js"
import { answerEmpty } from "../response/answer.js"
import { fixedAnswer } from "../response/fixed-answer.js"

/** Nothing but what this origin serves, no script or style inside the page, and no frame around it. */
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

const headers = [
  "Content-Security-Policy",
  contentSecurityPolicy,
  "Referrer-Policy",
  "no-referrer",
  "Cross-Origin-Opener-Policy",
  "same-origin",
]

/** A browser that came through TLS never comes in clear text again (RFC 6797), for so many seconds: two years. */
const alwaysTls = ["Strict-Transport-Security", "max-age=63072000"]

/** What the page is filled with. Keys of another deployment than this one are explained by it. */
export type PageFacts = Pick<Parts, "deployment" | "servers">

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }

/** Puts values into the places that the page leaves open: `{{name}}`. */
const fill = (template: string, values: Readonly<Record<string, string>>): string =>
  template.replace(/\{\{(\w+)\}\}/g, (place, name: string) =>
    (values[name] ?? place).replace(/[&<>"]/g, (character) => entities[character] ?? ""),
  )

/** The page with what only a running service knows. Addresses that are no whole URL say nothing to a reader. */
export const filledPage = (page: string, { deployment, servers }: PageFacts): string => {
  const absolute = servers.filter(({ url }) => url.startsWith("http"))
  const rows = (row: string) => absolute.map(({ url, description }) => fill(row, { url, description })).join("")
  const base = servers[0]?.url.startsWith("http") === true ? servers[0].url : "https://petstore.example/v1"
  return fill(
    page.replace(/<!--server-->(.*?)<!--\/server-->/s, (_whole, row: string) => rows(row)),
    { deployment, base },
  )
}

export const docsPage = (parts: Parts): Handler =>
  fixedAnswer("text/html; charset=utf-8", filledPage(builtFile("docs/page.html"), parts), [
    ...headers,
    ...(parts.tlsInFront ? alwaysTls : []),
  ])

export const docsAsset = (name: string, type: string) => (): Handler =>
  fixedAnswer(`${type}; charset=utf-8`, builtFile(`docs/${name}`))

export const toDocs = (): Handler => (exchange) => answerEmpty(exchange, 302, ["Location", "/docs", "Content-Length", "0"])
