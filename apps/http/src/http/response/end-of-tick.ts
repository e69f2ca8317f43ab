/** What a server does when a tick ends: reads that share what the store sees, and answers that leave together. */
import { attempt, type Exchange, type Handler } from "../exchange.js"
import { type SendRead, writeRead } from "./read-answer.js"

/** Does what sends a response. */
export type SendLater = (exchange: Exchange, send: Handler) => void

export interface EndOfTick {
  /**
   * Puts a handler that reads off to the end of the tick. A transaction of its own costs a read as much as its
   * row. Until then every request of the tick has been read, so that one moment of the store is new enough for all of them.
   */
  readonly readTogether: (read: Handler) => Handler
  /** Sends a response to a read at the end of the tick. */
  readonly sendRead: SendRead
  /**
   * Sends a response at the end of the tick. Responses that leave one after the other wake the client
   * once; with work in between each wakes it anew, which costs as much as the work.
   */
  readonly sendLater: SendLater
}

/** @param together  does work whose reads may see one moment of the store */
export const endOfTick = (together: (work: () => void) => void): EndOfTick => {
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
    readTogether: (read) => (exchange) => {
      reads.push({ exchange, read })
      schedule()
    },
    sendRead: (exchange, answer) => sendLater(exchange, () => writeRead(exchange, answer)),
  }
}
