/** The store-orders group (specification, section 4.5). There are no orders yet: the list is empty. */
import type { Context } from "koa"
import { answerJson } from "../answer.js"

export const listOrders = (ctx: Context): void => answerJson(ctx, 200, "[]")
