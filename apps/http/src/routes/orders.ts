/** The store-orders group (specification, section 1). There are no orders yet: the list is empty. */
import type Router from "@koa/router"
import { answerJson } from "../json-response.js"

export const orderRoutes = (router: Router): void => {
  router.get("/v1/store/orders", (ctx) => {
    answerJson(ctx, "[]")
  })
}
