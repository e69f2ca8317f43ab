/** One line in the log for each request, when it has been answered. Never a header, never a body. */
import type { Middleware } from "koa"
import type { Logger } from "pino"

export const accessLog =
  (logger: Logger): Middleware =>
  (ctx, next) => {
    const startedAt = performance.now()
    ctx.res.once("close", () => {
      logger.info(
        {
          requestId: ctx.state["requestId"],
          keyId: ctx.state["apiKey"]?.id,
          method: ctx.method,
          path: ctx.path,
          status: ctx.res.statusCode,
          durationMillis: Math.round((performance.now() - startedAt) * 1000) / 1000,
        },
        ctx.res.writableFinished ? "answered" : "the caller left before the answer",
      )
    })
    return next()
  }
