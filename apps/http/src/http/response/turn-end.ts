/** What a server does when a turn of its event loop ends: reads that share what the store sees, and answers that leave together. */
import type { Attempt } from "../error-response.js"
import type { Exchange, Handler } from "../exchange.js"
import { type ReadAnswer, type SendRead, writeRead } from "./read-answer.js"

export interface TurnEnd {
  /**
   * Puts a handler that reads off to the end of the turn. A transaction of its own costs a read as much as its
   * row. Until then every request of the turn has been read, so that one moment of the store is new enough for all of them.
   */
  readonly readTogether: (read: Handler) => Handler
  /**
   * Sends an answer at the end of the turn. Answers that leave one after the other wake whoever reads
   * them once; with work in between each wakes it anew, which costs as much as the work.
   */
  readonly sendRead: SendRead
}

/** @param together  does work whose reads may see one moment of the store */
export const turnEnd = (attempt: Attempt, together: (work: () => void) => void): TurnEnd => {
  let reads: Array<{ readonly exchange: Exchange; readonly read: Handler }> = []
  let answers: Array<{ readonly exchange: Exchange; readonly answer: ReadAnswer }> = []
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
    for (const { exchange, answer } of ready) writeRead(exchange, answer)
  }

  const schedule = (): void => {
    if (isScheduled) return
    isScheduled = true
    setImmediate(end)
  }

  return {
    readTogether: (read) => (exchange) => {
      reads.push({ exchange, read })
      schedule()
    },
    sendRead: (exchange, answer) => {
      answers.push({ exchange, answer })
      schedule()
    },
  }
}
