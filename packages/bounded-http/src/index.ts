/** A `node:http` server whose memory and time one client cannot use up. See the README. */
export { Budget } from "./budget.js"
export { type ClosingReason, type ObserveClosing, safeMethods } from "./connection.js"
export type { DrainOptions } from "./connections.js"
export { type HeaderList, headerLines, headersIn, inOnePiece } from "./head.js"
export type { Limits } from "./limits.js"
export { takeBody } from "./node.js"
export type { ProxiedClient } from "./proxy-protocol.js"
export { MessageRefused, type Refusal, type RefusalResponse, type Refuse, type RefusedRequest } from "./refusal.js"
export { release, reserve, writeLines } from "./response.js"
export { ResponseSize } from "./response-size.js"
export {
  type BoundedServer,
  type BoundedServerOptions,
  clientOf,
  connectionOf,
  createBoundedServer,
  onInputEnd,
} from "./server.js"
