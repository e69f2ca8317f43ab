/** Store orders, experimental: `/store/orders` (specification, section 4.5). */
import * as core from "@petstore/core"
import { basePath, operations } from "@petstore/core/contract"
import { Either } from "effect"
import { toHttpError } from "../error-response.js"
import type { Exchange, Handler } from "../exchange.js"
import type { Parts } from "../operation.js"
import { parametersOf } from "../request/target.js"
import { answerJson } from "../response/answer.js"
import { nextLink } from "../response/next-link.js"
import { readAnswer } from "../response/read-answer.js"
import { creating } from "./create.js"

const path = `${basePath}${operations.listOrders.path}`

export const listOrders =
  ({ run, sendRead }: Parts): Handler =>
  async (exchange) => {
    const request = Either.getOrThrowWith(core.decodeOrderPageRequest(parametersOf(exchange.query)), toHttpError)
    const { items, next } = await run(core.listOrders(request))
    sendRead(exchange, readAnswer(core.encodeOrders(items), nextLink(path, request, next)))
  }

export const createOrder = creating({
  path,
  decode: core.decodeNewOrder,
  create: core.createOrder,
  createOnce: core.createOrderOnce,
  encode: core.encodeOrder,
})

const orderIdOf = ({ resource }: Exchange): core.OrderId =>
  Either.getOrThrowWith(core.decodeOrderId(resource.parameter), toHttpError)

export const getOrder =
  ({ run, sendRead }: Parts): Handler =>
  async (exchange) => {
    sendRead(exchange, readAnswer(core.encodeOrder(await run(core.getOrder(orderIdOf(exchange))))))
  }

/** Takes no body; one that comes is ignored. */
export const closeOrder =
  (closing: core.OrderClosing) =>
  ({ run }: Parts): Handler =>
  async (exchange) => {
    answerJson(exchange, 200, core.encodeOrder(await run(core.closeOrder(orderIdOf(exchange), closing))))
  }
