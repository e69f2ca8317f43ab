/** `GET /docs`: serves the documentation page for people, without a key. `GET /` redirects to it. */
import { builtFile } from "../../built-file.js"
import type { Handler } from "../exchange.js"
import type { Parts } from "../operation.js"
import { fill, htmlPage } from "../response/html-page.js"
import { sendEmpty } from "../response/send.js"

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

export const docsPage = (parts: Parts): Handler => htmlPage(filledPage(builtFile("docs/page.html"), parts), parts)

export const toDocs = (): Handler => (exchange) => sendEmpty(exchange, 302, ["Location", "/docs", "Content-Length", "0"])
