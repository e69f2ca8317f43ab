/**
 * A steady load of creates and reads, and a record of every answer. Every other create
 * carries an idempotency key and is repeated until it is acknowledged, as a careful caller does;
 * the others are sent once.
 */
import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"

/** One answer, or its absence. Times are ms of `performance.now()`. */
interface Answered {
  readonly operation: "create" | "read"
  readonly isFine: boolean
  readonly sentAtMillis: number
  readonly atMillis: number
}

export interface Load {
  /** Name and identifier of every create that was answered with 201. */
  readonly acknowledged: ReadonlyMap<string, string>
  readonly answered: ReadonlyArray<Answered>
  /** Reads of an acknowledged pet that were answered with 404. */
  readonly unfound: () => number
  /** Sends nothing new, and waits for what is on its way. */
  readonly stop: () => Promise<void>
}

export interface LoadOptions {
  readonly baseUrls: ReadonlyArray<string>
  readonly key: string
  readonly createsPerSecond: number
  readonly readsPerSecond: number
  /** Whether creates without an idempotency key are repeated too: wrong, and the drill must notice. */
  readonly repeatBlindly: boolean
}

/** How long a caller waits for an answer, in ms. */
const patienceMillis = 5_000

/** How long a careful caller waits before it repeats, in ms. */
const repeatMillis = 100

export const startLoad = ({ baseUrls, key, createsPerSecond, readsPerSecond, repeatBlindly }: LoadOptions): Load => {
  const acknowledged = new Map<string, string>()
  const ids: Array<string> = []
  const answered: Array<Answered> = []
  const onTheirWay = new Set<Promise<void>>()
  let unfound = 0
  let goesOn = true
  let count = 0

  const send = async (
    operation: Answered["operation"],
    path: string,
    options: RequestInit,
  ): Promise<{ readonly status: number; readonly text: string }> => {
    const sentAtMillis = performance.now()
    count += 1
    let answer = { status: 0, text: "" }
    try {
      const response = await fetch(`${baseUrls[count % baseUrls.length]}${path}`, {
        ...options,
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...options.headers },
        signal: AbortSignal.timeout(patienceMillis),
      })
      answer = { status: response.status, text: await response.text() }
    } catch {
      // No answer is one that is not fine.
    }
    const isFine = answer.status === 200 || answer.status === 201
    answered.push({ operation, isFine, sentAtMillis, atMillis: performance.now() })
    return answer
  }

  const create = async (number: number): Promise<void> => {
    const name = `drill ${number}`
    const isCareful = number % 2 === 0
    const headers: Record<string, string> = isCareful ? { "idempotency-key": randomUUID() } : {}
    for (;;) {
      const { status, text } = await send("create", "/pets", {
        method: "POST",
        headers,
        body: JSON.stringify({ name, categoryId: number }),
      })
      if (status === 201) {
        const id = /"id":(-?\d+)/.exec(text)?.[1] ?? ""
        acknowledged.set(name, id)
        ids.push(id)
        return
      }
      if (!isCareful && !repeatBlindly) return
      await sleep(repeatMillis)
    }
  }

  const read = async (number: number): Promise<void> => {
    const id = ids[Math.floor(Math.random() * ids.length)]
    if (number % 2 === 0 || id === undefined) await send("read", "/pets?limit=20", {})
    else if ((await send("read", `/pets/${id}`, {})).status === 404) unfound += 1
  }

  /** Sends at a steady pace, whatever becomes of what was sent. */
  const pace = async (perSecond: number, work: (number: number) => Promise<void>): Promise<void> => {
    const startMillis = performance.now()
    for (let number = 1; goesOn; number += 1) {
      const promise = work(number).finally(() => onTheirWay.delete(promise))
      onTheirWay.add(promise)
      await sleep(Math.max(0, startMillis + (number * 1_000) / perSecond - performance.now()))
    }
  }

  const paces = [pace(createsPerSecond, create), pace(readsPerSecond, read)]
  return {
    acknowledged,
    answered,
    unfound: () => unfound,
    stop: async () => {
      goesOn = false
      await Promise.all(paces)
      await Promise.all(onTheirWay)
    },
  }
}
