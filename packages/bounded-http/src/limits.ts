/** Every limit that may be set, with its default. The README explains them. */

/** Limits on the resources that one client can use. */
export interface ConnectionLimits {
  /** How many safe requests of one connection run at once. Others run one after another. */
  readonly pipelineLimit: number
  /** While a connection's responses take more bytes than this, its next request waits. */
  readonly unreadLimitBytes: number
  /** While a connection's requests and responses take more memory than this, its next request waits. */
  readonly connectionBudgetBytes: number
  /**
   * How long the operating system may take to accept a response of up to 480 KiB, because the client reads slowly. A longer one has
   * as much time for each 480 KiB.
   */
  readonly readMillis: number
  /** How long a connection may be idle after the operating system has accepted its last response. */
  readonly keepAliveMillis: number
}

export interface Limits extends ConnectionLimits {
  /** How many connections may be open. 16 more may stay for 1 s and one request, which is refused unless its path is always served. */
  readonly connectionLimit: number
  /** The memory for all requests and responses. Beyond it, requests are refused with 503. */
  readonly budgetBytes: number
  /** How long a request's head may take to arrive. */
  readonly headMillis: number
  /** How long a request may take to arrive, including the time in which the listener does not read its body. */
  readonly requestMillis: number
}

export const defaultLimits: Limits = {
  connectionLimit: 10_000,
  pipelineLimit: 32,
  unreadLimitBytes: 1_048_576,
  connectionBudgetBytes: 2_097_152,
  budgetBytes: 67_108_864,
  headMillis: 10_000,
  requestMillis: 30_000,
  readMillis: 30_000,
  keepAliveMillis: 65_000,
}
