/**
 * A faster Koa for synchronous responses. It replaces three members, and `service-koa.unit.ts` fails if a new Koa version changes
 * the originals:
 * - `createContext` creates an {@link Exchange}, a context that creates its request and response only when they are used;
 * - `compose` (a Koa option) continues at once after synchronous middleware, where Koa creates two promises for each call;
 * - `handleRequest` listens for the end of a response, and responds with `ctx.body`, only if none of our steps responds.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import { headersIn } from "@petstore/bounded-http"
import Koa, { type DefaultState, type Next } from "koa"
import type { Logger } from "pino"
import { answerFailure } from "./error-response.js"
import { attempt, Exchange, type FindResource } from "./exchange.js"
import type { SendLater } from "./response/end-of-tick.js"
import { requestIdHeader } from "./response/send.js"
import { unavailableLog } from "./unavailable-log.js"

/** Our own middleware calls `next` or responds, synchronously unless it must wait. A thrown value becomes a failure response. */
export type Step = (exchange: Exchange, next: Next) => void | Promise<void>

/** What `next` returns after synchronous middleware: one shared promise. */
const done = Promise.resolve()

/** Calls middleware in the same way as koa-compose. */
const compose =
  (middleware: ReadonlyArray<(exchange: Exchange, next: Next) => unknown>) =>
  (exchange: Exchange): Promise<unknown> => {
    let last = -1
    const dispatch = (at: number): Promise<unknown> => {
      if (at <= last) return Promise.reject(new Error("next() called multiple times"))
      last = at
      try {
        const result = middleware[at]?.(exchange, () => dispatch(at + 1))
        return result instanceof Promise ? result : done
      } catch (thrown) {
        return Promise.reject(thrown)
      }
    }
    return dispatch(0)
  }

/** Whether one of our steps responds. */
const isAnswered = ({ respond, res }: Exchange): boolean => !respond || res.writableEnded

/** Members of Koa that its types leave out. */
type HandleRequest = (this: ServiceKoa, exchange: Exchange, run: () => Promise<void>) => Promise<void>
const { handleRequest: answerByKoa } = Koa.prototype as unknown as { readonly handleRequest: HandleRequest }

export class ServiceKoa extends Koa<DefaultState, Exchange> {
  readonly #findResource: FindResource
  readonly #Exchange: typeof Exchange

  constructor(findResource: FindResource, logger: Pick<Logger, "error">, sendLater: SendLater = attempt) {
    // Koa's types leave this option out.
    super({ compose } as object)
    this.#findResource = findResource
    const logUnavailable = unavailableLog(logger)
    // Each application has its own class, so that one application's `app.context` does not affect another.
    this.#Exchange = class extends Exchange {}
    this.context = Object.assign(this.#Exchange.prototype, {
      app: this,
      onerror(this: Exchange, thrown: unknown) {
        // Koa also calls this at the end of its own responses, either without an error or with the connection's error.
        const isAnsweredByKoa = this.respond && this.res.headersSent
        if (!isAnsweredByKoa) sendLater(this, () => answerFailure(logger, this, thrown, logUnavailable))
      },
    })
  }

  override createContext(req: IncomingMessage, res: ServerResponse): Exchange {
    return new this.#Exchange(req, res, this.#findResource)
  }

  /** Koa calls this for each request. */
  handleRequest(exchange: Exchange, run: (exchange: Exchange) => Promise<void>): Promise<void> {
    exchange.res.statusCode = 404
    const passed = run(exchange)
    return passed === done && isAnswered(exchange)
      ? done
      : passed.then(() => this.#finish(exchange)).catch((thrown: unknown) => exchange.onerror(thrown))
  }

  /** Lets Koa respond with `ctx.body` and `ctx.status` if middleware did not call our steps. */
  #finish(exchange: Exchange): void {
    if (isAnswered(exchange)) return
    const { res, requestId, responseHeaders } = exchange
    if (requestId !== "") exchange.set(requestIdHeader, requestId)
    const added = headersIn(responseHeaders)
    for (let at = 0; at < added.length; at += 2) exchange.append(added[at] ?? "", added[at + 1] ?? "")
    exchange.bodyBytes = exchange.length ?? 0
    const { statusCode } = res
    void answerByKoa.call(this, exchange, async () => {
      // Koa has reset the status to 404.
      res.statusCode = statusCode
    })
  }
}
