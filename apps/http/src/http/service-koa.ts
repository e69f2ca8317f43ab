/**
 * Koa, made quick for answers that leave at once. Three things differ from Koa's own, and `service-koa.unit.ts` fails when
 * a new Koa changes what they stand for:
 * - `createContext` makes an {@link Exchange}, a context whose request and response are made when they are asked for;
 * - `compose` (an option of Koa) goes on at once where a middleware does not wait, where Koa's makes two promises for each;
 * - `handleRequest` listens to the end of a response, and answers by `ctx.body`, only if no step of ours answers.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import Koa, { type DefaultState, type Next } from "koa"
import type { Logger } from "pino"
import { answerFailure } from "./error-response.js"
import { attempt, Exchange, type FindResource } from "./exchange.js"
import type { SendLater } from "./response/end-of-tick.js"
import { requestIdHeader } from "./response/send.js"

/** A middleware of ours: it goes on by `next` or answers, at once unless it has to wait. What it throws is answered as a failure. */
export type Step = (exchange: Exchange, next: Next) => void | Promise<void>

/** What `next` gives where nothing waits: one promise for all. */
const done = Promise.resolve()

/** Calls middleware as koa-compose does. */
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

/** Whether a step of ours has answered, or is going to. */
const isAnswered = ({ respond, res }: Exchange): boolean => !respond || res.writableEnded

/** Koa's own, which its types leave out. */
type HandleRequest = (this: ServiceKoa, exchange: Exchange, run: () => Promise<void>) => Promise<void>
const { handleRequest: answerByKoa } = Koa.prototype as unknown as { readonly handleRequest: HandleRequest }

export class ServiceKoa extends Koa<DefaultState, Exchange> {
  readonly #findResource: FindResource
  readonly #Exchange: typeof Exchange

  constructor(findResource: FindResource, logger: Pick<Logger, "error">, sendLater: SendLater = attempt) {
    // The types of Koa do not know this option.
    super({ compose } as object)
    this.#findResource = findResource
    // A class of its own for each application, so that what is put on `app.context` stays there.
    this.#Exchange = class extends Exchange {}
    this.context = Object.assign(this.#Exchange.prototype, {
      app: this,
      onerror(this: Exchange, thrown: unknown) {
        // Koa calls it at the end of a response of its own, too: with nothing, or with what broke the connection.
        const isAnsweredByKoa = this.respond && this.res.headersSent
        if (!isAnsweredByKoa) sendLater(this, () => answerFailure(logger, this, thrown))
      },
    })
  }

  override createContext(req: IncomingMessage, res: ServerResponse): Exchange {
    return new this.#Exchange(req, res, this.#findResource)
  }

  /** Koa calls it for each request. */
  handleRequest(exchange: Exchange, run: (exchange: Exchange) => Promise<void>): Promise<void> {
    exchange.res.statusCode = 404
    const passed = run(exchange)
    return passed === done && isAnswered(exchange)
      ? done
      : passed.then(() => this.#finish(exchange)).catch((thrown: unknown) => exchange.onerror(thrown))
  }

  /** Lets Koa answer by `ctx.body` and `ctx.status`, if a middleware did not go on to our steps. */
  #finish(exchange: Exchange): void {
    if (isAnswered(exchange)) return
    const { res, requestId, responseHeaders } = exchange
    if (requestId !== "") exchange.set(requestIdHeader, requestId)
    for (let at = 0; at < responseHeaders.length; at += 2)
      exchange.append(responseHeaders[at] ?? "", responseHeaders[at + 1] ?? "")
    exchange.bodyBytes = exchange.length ?? 0
    const { statusCode } = res
    void answerByKoa.call(this, exchange, async () => {
      // Koa has set it to 404 again.
      res.statusCode = statusCode
    })
  }
}
