/** Work for the end of a tick: reads that share a transaction, and responses that are sent together. */
import { attempt, type Exchange, type Handler } from "../exchange.js"
import { type SendRead, writeRead } from "./read-response.js"

export type SendLater = (exchange: Exchange, send: Handler) => void

export interface EndOfTick {
  /**
   * Defers a reading handler to the end of the tick. A separate transaction would take as long as reading the row. By then,
   * every request in the tick has been parsed, so one snapshot of the store is current for all of them.
   */
  readonly readTogether: (read: Handler) => Handler
  /** Sends a response to a read at the end of the tick. */
  readonly sendRead: SendRead
  /**
   * Sends a response at the end of the tick. Responses that are sent in direct succession wake the client only once. With work in
   * between, each response wakes the client, which costs as much as the work.
   */
  readonly sendLater: SendLater
}

/** Reserves memory for a response of this many bytes, or of the expected length. Throws if the process has none left. */
export type Reserve = (exchange: Exchange, bytes?: number) => void

/**
 * @param together  runs work whose reads may share a snapshot of the store
 * @param reserve   called before and after each read; earlier reads of the tick may have shown how long the response is
 */
export const endOfTick = (together: (work: () => void) => void, reserve: Reserve): EndOfTick => {
  let reads: Array<{ readonly exchange: Exchange; readonly read: Handler }> = []
  let answers: Array<{ readonly exchange: Exchange; readonly send: Handler }> = []
  let isScheduled = false

  const end = (): void => {
    const asked = reads
    reads = []
    const readAll = (): void => {
      for (const { exchange, read } of asked) attempt(exchange, read)
    }
    if (asked.length > 1) together(readAll)
    else readAll()
    isScheduled = false
    const ready = answers
    answers = []
    for (const { exchange, send } of ready) attempt(exchange, send)
  }

  const schedule = (): void => {
    if (isScheduled) return
    isScheduled = true
    setImmediate(end)
  }

  const sendLater: SendLater = (exchange, send) => {
    answers.push({ exchange, send })
    schedule()
  }

  return {
    sendLater,
    readTogether: (read) => {
      const readReserved: Handler = (exchange) => {
        reserve(exchange)
        return read(exchange)
      }
      return (exchange) => {
        reads.push({ exchange, read: readReserved })
        schedule()
      }
    },
    sendRead: (exchange, answer) => {
      reserve(exchange, answer.bytes)
      sendLater(exchange, () => writeRead(exchange, answer))
    },
  }
}
