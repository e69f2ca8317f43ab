/** The store-orders group (specification, section 4.5). There are no orders yet: the list is empty. */
import type { Context } from "koa"
import { answerRead, readAnswer } from "../answer.js"

const noOrders = readAnswer("[]", undefined)

export const listOrders = (ctx: Context): void => answerRead(ctx, noOrders)
