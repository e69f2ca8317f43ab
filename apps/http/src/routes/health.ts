/** For load balancers and orchestrators, without a key: `/healthz` says that the process runs, `/readyz` that it should get requests. */
import { Readiness } from "@petstore/core"
import { Effect } from "effect"
import type { Context } from "koa"
import { answerJson } from "../answer.js"
import type { Run } from "../run.js"

export const health = (ctx: Context): void => answerJson(ctx, 200, '{"status":"ok"}')

export const readiness =
  (run: Run<Readiness>) =>
  async (ctx: Context): Promise<void> => {
    await run(Effect.flatMap(Readiness, ({ check }) => check))
    answerJson(ctx, 200, '{"status":"ready"}')
  }
