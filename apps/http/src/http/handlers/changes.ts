/** `GET` of the changes, which may wait until there is one (specification 16.30). */

import type { Change, ChangePageRequest } from "@petstore/core"
import type { ListUseCase, RequestFailure } from "@petstore/core/contract"
import type { Handler } from "../exchange.js"
import type { Parts, Served, Services } from "../operation.js"
import { listing, pageReader } from "./list.js"

export const listingChanges =
  (served: Served, useCase: ListUseCase<ChangePageRequest, Change, RequestFailure, Services>) =>
  (parts: Parts): Handler => {
    const { waiting, sendRead } = parts
    const readPage = pageReader(served, useCase)(parts)
    const answerNow = listing(served, useCase)(parts)
    return async (exchange) => {
      // Reading the page checks the value.
      const seconds = Number(new URLSearchParams(exchange.querystring).get("wait"))
      if (!(seconds > 0)) return answerNow(exchange)
      const page = await readPage(exchange)
      if (page.isEmpty) waiting.hold(exchange, seconds, page, readPage)
      else sendRead(exchange, page.answer)
    }
  }
