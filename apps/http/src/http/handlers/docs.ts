/** `GET /docs`: the page for people, with its style sheet and scripts, without a key. `GET /` leads there. */
import type Router from "@koa/router"
import type { Deployment } from "@petstore/core"
import type { ServerEntry } from "@petstore/docs/contract"
import { builtFile } from "../../built-file.js"
import { answerFixed, fixedAnswer } from "../response/fixed-answer.js"
import { requestIdHeader } from "../steps/request-id.js"

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

const headers = {
  "Content-Security-Policy": contentSecurityPolicy,
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
}

/** What the page is filled with. */
export interface PageFacts {
  /** The deployment that serves the page: keys of another one are explained by it. */
  readonly deployment: Deployment
  /** The addresses that the contract lists. */
  readonly servers: ReadonlyArray<ServerEntry>
}

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

export const docsRoutes = (router: Router, facts: PageFacts): void => {
  const page = fixedAnswer("text/html; charset=utf-8", filledPage(builtFile("docs/page.html"), facts), headers)
  const assets = [
    { name: "page.css", type: "text/css; charset=utf-8" },
    { name: "page.js", type: "text/javascript; charset=utf-8" },
    { name: "theme.js", type: "text/javascript; charset=utf-8" },
  ]
  router.get("/", (ctx) => {
    ctx.respond = false
    ctx.res.writeHead(302, [requestIdHeader, ctx.state["requestId"], "Location", "/docs", "Content-Length", "0"]).end()
  })
  router.get("/docs", (ctx) => answerFixed(ctx, page))
  for (const { name, type } of assets) {
    const answer = fixedAnswer(type, builtFile(`docs/${name}`))
    router.get(`/docs/${name}`, (ctx) => answerFixed(ctx, answer))
  }
}
