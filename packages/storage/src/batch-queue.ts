/** Batches requests that arrive together: a commit or a round trip takes longer than one request. A lone one does not wait. */

export interface Waiting<Request> {
  readonly request: Request
  /** Arrival time, from `performance.now()`. */
  readonly arrivedAtMillis: number
}

/** The outcome of a request that must be retried before later requests. */
export const again: unique symbol = Symbol("again")

/** The outcomes of a batch's requests, in request order. */
export type Answers<Answer> = ReadonlyArray<Answer | typeof again>

interface BatchQueueOptions<Request, Answer> {
  readonly carryOut: (batch: ReadonlyArray<Waiting<Request>>) => Answers<Answer> | Promise<Answers<Answer>>
  /** The outcome of every request in a batch whose `carryOut` threw, and of a request for which `carryOut` returned none. */
  readonly failed: (thrown: unknown) => Answer
  /** The maximum number of pending requests. Further requests are refused at once, so a stuck store cannot exhaust memory. */
  readonly maximum: number
  /** The maximum number of requests in the next batch. By default, a batch contains all waiting requests. */
  readonly batchMaximum?: () => number
  /** The maximum number of batches that run at the same time. By default, there is no limit. */
  readonly batchesAtOnce?: () => number
  /** The delay before the next batch after an {@link again} outcome, in ms. */
  readonly againMillis?: number
  /** Called when no request is pending. */
  readonly onIdle?: () => void
  /** Schedules a batch when the first request arrives: at the end of the tick by default. `waiting` counts its requests. */
  readonly begin?: (flush: () => void, waiting: () => number) => void
}

/** The maximum number of ticks in which a batch gathers requests. */
const ticksMaximum = 32

/** How many successive ticks without a further request end a batch. Such a tick takes a few microseconds. */
const quietTicksMaximum = 8

/**
 * Returns a function that schedules batches of a busy service's clients. Clients that wait for their responses send their next
 * requests soon after the former batch, so a batch gathers as many requests as that one had, unless they stay away. A lone request
 * after a lone one waits only for the end of its tick.
 */
export const gathering = (): NonNullable<BatchQueueOptions<unknown, unknown>["begin"]> => {
  let formerSize = 1
  return (flush, waiting) => {
    const look = (gathered: number, ticks: number, formerQuietTicks: number): void => {
      const size = waiting()
      const quietTicks = size === gathered ? formerQuietTicks + 1 : 0
      const isWhole = size >= formerSize && (size === 1 || quietTicks > 0)
      if (isWhole || quietTicks === quietTicksMaximum || ticks === ticksMaximum) {
        formerSize = size
        flush()
      } else setImmediate(look, size, ticks + 1, quietTicks)
    }
    setImmediate(look, 0, 0, 0)
  }
}

export interface BatchQueue<Request, Answer> {
  /** Queues a request, and calls `answer` once. If the queue is full or closed, does nothing and returns `false`. */
  readonly submit: (request: Request, answer: (answer: Answer) => void) => boolean
  readonly isClosed: () => boolean
  /** Refuses further requests. Resolves when no request is pending. */
  readonly close: () => Promise<void>
}

interface Entry<Request, Answer> extends Waiting<Request> {
  readonly answer: (answer: Answer) => void
}

export const batchQueue = <Request, Answer>({
  carryOut,
  failed,
  maximum,
  batchMaximum = () => Number.POSITIVE_INFINITY,
  batchesAtOnce = () => Number.POSITIVE_INFINITY,
  againMillis = 0,
  onIdle,
  begin = setImmediate,
}: BatchQueueOptions<Request, Answer>): BatchQueue<Request, Answer> => {
  type Batch = ReadonlyArray<Entry<Request, Answer>>
  let waiting: Array<Entry<Request, Answer>> = []
  let requestsUnderWay = 0
  let batchesUnderWay = 0
  let isScheduled = false
  let isClosed = false
  const ended = Promise.withResolvers<void>()

  const isIdle = (): boolean => waiting.length + requestsUnderWay === 0

  const schedule = (): void => {
    if (isScheduled || waiting.length === 0 || batchesUnderWay >= batchesAtOnce()) return
    isScheduled = true
    begin(flush, () => waiting.length)
  }

  const flush = (): void => {
    isScheduled = false
    const batch = waiting.splice(0, batchMaximum())
    requestsUnderWay += batch.length
    batchesUnderWay += 1
    const answers = attempt(batch)
    if (answers instanceof Promise) answers.then((late) => settle(batch, late))
    else settle(batch, answers)
    schedule()
  }

  /** Turns an error into outcomes, because an uncaught error here would crash the process. */
  const attempt = (batch: Batch): Answers<Answer> | Promise<Answers<Answer>> => {
    const allFailed = (thrown: unknown): Answers<Answer> => batch.map(() => failed(thrown))
    try {
      const answers = carryOut(batch)
      return answers instanceof Promise ? answers.catch(allFailed) : answers
    } catch (thrown) {
      return allFailed(thrown)
    }
  }

  const settle = (batch: Batch, answers: Answers<Answer>): void => {
    requestsUnderWay -= batch.length
    batchesUnderWay -= 1
    if (answers.includes(again)) repeat(batch.filter((_, index) => answers[index] === again))
    for (const [index, { answer }] of batch.entries()) {
      const one = answers[index] ?? failed(new Error("A request has no outcome"))
      if (one !== again) answer(one)
    }
    schedule()
    if (!isIdle()) return
    onIdle?.()
    if (isClosed) ended.resolve()
  }

  const repeat = (batch: Batch): void => {
    waiting = [...batch, ...waiting]
    if (isScheduled) return
    isScheduled = true
    setTimeout(flush, againMillis)
  }

  return {
    submit: (request, answer) => {
      if (isClosed || waiting.length + requestsUnderWay >= maximum) return false
      waiting.push({ request, arrivedAtMillis: performance.now(), answer })
      schedule()
      return true
    },
    isClosed: () => isClosed,
    close: async () => {
      isClosed = true
      if (!isIdle()) await ended.promise
    },
  }
}
