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
import type { Context } from "koa"
import { answerJson, answerRead, readAnswer } from "../answer.js"
import { toHttpError } from "../error-response.js"
import { idempotencyKeyOf } from "../idempotency-key.js"
import { readJson } from "../middleware/json-body.js"
import { nextLink } from "../next-link.js"
import type { Run } from "../run.js"

const path = "/v1/store/orders"

export interface OrderRoutes {
  readonly list: (ctx: Context) => Promise<void>
  readonly create: (ctx: Context) => Promise<void>
  readonly get: (ctx: Context, orderId: string) => Promise<void>
  /** Takes no body; one that comes is ignored. */
  readonly close: (ctx: Context, orderId: string, closing: Closing) => Promise<void>
}

export const orderRoutes = (run: Run<OrderRepository | Cryptography>, bodyLimitBytes: number): OrderRoutes => ({
  list: async (ctx) => {
    const parameters = new URLSearchParams(ctx.querystring)
    const request = Either.getOrThrowWith(
      decodeOrderPageRequest((name) => parameters.getAll(name)),
      toHttpError,
    )
    const { items, next } = await run(listOrders(request))
    answerRead(ctx, readAnswer(encodeOrders(items), nextLink(path, request, next)))
  },

  create: async (ctx) => {
    const idempotencyKey = idempotencyKeyOf(ctx)
    const { text, json } = await readJson(ctx, bodyLimitBytes)
    const newOrder = Either.getOrThrowWith(decodeNewOrder(json), toHttpError)
    const order = await run(
      Option.match(idempotencyKey, {
        onNone: () => createOrder(newOrder),
        onSome: (key) =>
          Effect.flatMap(claimRequest(ctx.state["apiKey"], `POST ${path}`, key, text), (claim) =>
            createOrderOnce(newOrder, claim),
          ),
      }),
    )
    answerJson(ctx, 201, encodeOrder(order), ["Location", `${path}/${order.id}`])
  },

  get: async (ctx, orderId) => answerRead(ctx, readAnswer(encodeOrder(await run(getOrder(orderId))), undefined)),

  close: async (ctx, orderId, closing) => answerJson(ctx, 200, encodeOrder(await run(closeOrder(orderId, closing)))),
})
