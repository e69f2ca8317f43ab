/** What the primary and its workers say to each other. Other messages on the same channel, such as Node's own, are left alone. */
import type { AddressInfo } from "node:net"
import type { MetricsSnapshot } from "../telemetry/metrics.js"

/** `replace`: another worker has taken the place of this one. `stop`: the service stops. */
export type Order = "replace" | "stop"

/** From a worker: it serves, or it could not start. */
export type WorkerMessage =
  | { readonly petstore: "ready"; readonly address: AddressInfo }
  | { readonly petstore: "failed"; readonly reason: string }
  | { readonly petstore: "measured"; readonly snapshot: MetricsSnapshot }

/** From the primary: a worker is to go, or to tell its metrics. */
export type PrimaryMessage = { readonly petstore: "order"; readonly order: Order } | { readonly petstore: "measure" }

const isOurs = (value: unknown): value is { readonly petstore: unknown } =>
  typeof value === "object" && value !== null && "petstore" in value

// Safe: both ends are this program, and only messages of this file carry the mark `petstore`.
export const workerMessage = (value: unknown): WorkerMessage | undefined => (isOurs(value) ? (value as WorkerMessage) : undefined)

/** As above, for the other direction. */
export const primaryMessage = (value: unknown): PrimaryMessage | undefined =>
  isOurs(value) ? (value as PrimaryMessage) : undefined
