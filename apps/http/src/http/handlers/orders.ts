/** Store orders, experimental: `/store/orders` (specification, section 4.5). */
import {
  type Closing,
  type Cryptography,
  claimRequest,
  closeOrder,
  createOrder,
  createOrderOnce,
  decodeNewOrder,
  decodeOrderPageRequest,
  encodeOrder,
  encodeOrders,
  getOrder,
  listOrders,
  type OrderRepository,
} from "@petstore/core"
import { Effect, Either, Option } from "effect"
import { toHttpError } from "../error-response.js"
import { type Exchange, queryOf } from "../exchange.js"
import { idempotencyKeyOf } from "../request/idempotency-key.js"
import { readJson } from "../request/json-body.js"
import { answerJson, answerRead, readAnswer } from "../response/answer.js"
import { nextLink } from "../response/next-link.js"
import type { Run } from "../run.js"

const path = "/v1/store/orders"

export interface OrderRoutes {
  readonly list: (exchange: Exchange) => Promise<void>
  readonly create: (exchange: Exchange) => Promise<void>
  readonly get: (exchange: Exchange, orderId: string) => Promise<void>
  /** Takes no body; one that comes is ignored. */
  readonly close: (exchange: Exchange, orderId: string, closing: Closing) => Promise<void>
}

export const orderRoutes = (run: Run<OrderRepository | Cryptography>, bodyLimitBytes: number): OrderRoutes => ({
  list: async (exchange) => {
    const parameters = new URLSearchParams(queryOf(exchange.req))
    const request = Either.getOrThrowWith(
      decodeOrderPageRequest((name) => parameters.getAll(name)),
      toHttpError,
    )
    const { items, next } = await run(listOrders(request))
    answerRead(exchange, readAnswer(encodeOrders(items), nextLink(path, request, next)))
  },

  create: async (exchange) => {
    const idempotencyKey = idempotencyKeyOf(exchange.req)
    const { text, json } = await readJson(exchange.req, bodyLimitBytes)
    const newOrder = Either.getOrThrowWith(decodeNewOrder(json), toHttpError)
    const order = await run(
      Option.match(idempotencyKey, {
        onNone: () => createOrder(newOrder),
        onSome: (key) =>
          Effect.flatMap(claimRequest(exchange.state.apiKey, `POST ${path}`, key, text), (claim) =>
            createOrderOnce(newOrder, claim),
          ),
      }),
    )
    answerJson(exchange, 201, encodeOrder(order), ["Location", `${path}/${order.id}`])
  },

  get: async (exchange, orderId) => answerRead(exchange, readAnswer(encodeOrder(await run(getOrder(orderId))), undefined)),

  close: async (exchange, orderId, closing) => answerJson(exchange, 200, encodeOrder(await run(closeOrder(orderId, closing)))),
})
