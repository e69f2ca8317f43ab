/** Lets a request pass only with a valid API key of this deployment (specification, section 5). */
import { authenticate, type CredentialRepository, type Cryptography, type Deployment } from "@petstore/core"
import type { Middleware } from "koa"
import type { Run } from "../run.js"

export const requireApiKey =
  (run: Run<CredentialRepository | Cryptography>, deployment: Deployment): Middleware =>
  async (ctx, next) => {
    ctx.state["apiKey"] = await run(authenticate(ctx.req.headers.authorization, deployment))
    await next()
  }
