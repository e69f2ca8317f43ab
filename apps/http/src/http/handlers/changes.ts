/** `GET` of the changes, which may wait until there is one (specification 16.30). */
import type { Handler } from "../exchange.js"
import type { Parts } from "../operation.js"
import type { ReadPage } from "../response/page-cache.js"
import { answering } from "./list.js"

export const waitingFor = (readPage: ReadPage, parts: Parts): Handler => {
  const answerNow = answering(readPage, parts)
  return async (exchange) => {
    // Reading the page checks the value.
    const seconds = Number(new URLSearchParams(exchange.querystring).get("wait"))
    if (!(seconds > 0)) return answerNow(exchange)
    const page = await readPage(exchange)
    if (page.isEmpty) parts.waiting.hold(exchange, seconds, page, readPage)
    else parts.sendRead(exchange, page.answer)
  }
}
