/** For load balancers and orchestrators, without a key: `/healthz` says that the process runs, `/readyz` that it should get requests. */
import type Router from "@koa/router"
import { Readiness } from "@petstore/core"
import { Effect } from "effect"
import { answerJson } from "../json-response.js"
import type { Run } from "../run.js"

export const healthRoutes = (router: Router, run: Run<Readiness>): void => {
  router.get("/healthz", (ctx) => {
    answerJson(ctx, '{"status":"ok"}')
  })

  router.get("/readyz", async (ctx) => {
    await run(Effect.flatMap(Readiness, ({ check }) => check))
    answerJson(ctx, '{"status":"ready"}')
  })
}
