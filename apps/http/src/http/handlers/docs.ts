/** `GET /docs`: the page for people, with its style sheet and scripts, without a key. `GET /` leads there. */
import { readFileSync } from "node:fs"
import type Router from "@koa/router"
import { docsPage, type PageOptions } from "../../docs/page.js"
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

/** A file that the build put beside the compiled program. */
const asset = (name: string, type: string) =>
  fixedAnswer(type, readFileSync(new URL(`../../../dist/docs/assets/${name}`, import.meta.url), "utf8"))

export const docsRoutes = (router: Router, options: PageOptions): void => {
  const page = fixedAnswer("text/html; charset=utf-8", docsPage(options), headers)
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
    const answer = asset(name, type)
    router.get(`/docs/${name}`, (ctx) => answerFixed(ctx, answer))
  }
}
