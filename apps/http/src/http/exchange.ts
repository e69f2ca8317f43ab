/** A request and its answer, as the routes of the API see them: Koa's context is one, and so is what goes past Koa. */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { ApiKey } from "@petstore/core"

export interface Exchange {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  /** What is known of the request before its route sees it. */
  readonly state: {
    readonly requestId: string
    /** Whoever calls. */
    readonly apiKey: ApiKey
  }
  /** False once somebody has answered by {@link Exchange.res}: Koa then keeps its hands off. */
  respond?: boolean | undefined
}

/** The query of a request, without its question mark. */
export const queryOf = ({ url = "" }: IncomingMessage): string => {
  const [target = ""] = url.split("#", 1)
  const start = target.indexOf("?")
  return start === -1 ? "" : target.slice(start + 1)
}
