/** Reads a single resource, or acts on it. If the path has no identifier, the resource is the only one of its kind. */
import type { OneUseCase, RequestFailure } from "@petstore/core/contract"
import { Either } from "effect"
import { toHttpError } from "../error-response.js"
import type { Exchange, Handler } from "../exchange.js"
import type { Parts, Served, Services } from "../operation.js"
import { etagOf } from "../response/entity-tag.js"
import { readResponse } from "../response/read-response.js"
import { sendJson } from "../response/send.js"
import { andThen } from "../run.js"

const asking =
  (answer: (served: Served, parts: Parts, exchange: Exchange, text: string) => void, mayBeDone?: string) =>
  <Id, One>(served: Served, { decode, run: useCase, encode }: OneUseCase<Id, One, RequestFailure, Services>) =>
  (parts: Parts): Handler =>
  (exchange) => {
    const id = Either.getOrThrowWith(decode(exchange.parameter, exchange.caller), toHttpError)
    return andThen(parts.run(mayBeDone === undefined ? useCase(id) : useCase(id, exchange.by), mayBeDone), (one) =>
      answer(served, parts, exchange, encode(one)),
    )
  }

const readingNow = asking((_served, { sendRead }, exchange, text) => sendRead(exchange, readResponse(text)))

/** Handles `GET`. */
export const reading =
  <Id, One>(served: Served, useCase: OneUseCase<Id, One, RequestFailure, Services>) =>
  (parts: Parts): Handler =>
    parts.readTogether(readingNow(served, useCase)(parts))

/** Handles `POST` for an action. A body is ignored. */
export const acting = asking(
  ({ status }, { sendLater }, exchange, text) =>
    sendLater(exchange, () => sendJson(exchange, status, text, ["ETag", etagOf(text)])),
  "It may have happened. It is safe to send it again.",
)
