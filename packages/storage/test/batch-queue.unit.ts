/** Tests when requests share a batch, how many requests a batch contains, and what happens after a failure. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { type Answers, again, batchQueue, gathering } from "../src/batch-queue.js"

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

type Options = Parameters<typeof batchQueue<string, string>>[0]

/** A queue whose batches the test resolves. Each request's outcome is its own text. */
const opened = (options: Partial<Options> = {}) => {
  const batches: Array<ReadonlyArray<string>> = []
  const ends: Array<(answers?: Answers<string>) => void> = []
  const answered: Array<string> = []
  const queue = batchQueue<string, string>({
    carryOut: (batch) => {
      const texts = batch.map(({ request }) => request)
      batches.push(texts)
      return new Promise((resolve) => ends.push((answers = texts) => resolve(answers)))
    },
    failed: (thrown) => `failed: ${thrown instanceof Error ? thrown.message : thrown}`,
    maximum: 10,
    ...options,
  })
  const submit = (...texts: ReadonlyArray<string>): ReadonlyArray<boolean> =>
    texts.map((text) => queue.submit(text, (answer) => answered.push(answer)))
  const end = async (batch: number, answers?: Answers<string>): Promise<void> => {
    ends[batch]?.(answers)
    await tick()
  }
  return { ...queue, submit, end, batches, answered }
}

/** Like {@link opened}, but with batches that resolve immediately. */
const openedAtOnce = (carryOut: Options["carryOut"], options: Partial<Options> = {}) => opened({ carryOut, ...options })

describe("batches", () => {
  it("contain the requests of one tick, in arrival order", async () => {
    const { submit, batches, end, answered } = opened()
    submit("a", "b")
    expect(batches).toStrictEqual([])
    await tick()
    submit("c")
    await tick()
    expect(batches).toStrictEqual([["a", "b"], ["c"]])
    await end(1)
    await end(0)
    expect(answered).toStrictEqual(["c", "a", "b"])
  })

  it("use the size limit that applies when they start", async () => {
    let maximum = 2
    const { submit, batches } = opened({ batchMaximum: () => maximum })
    submit("a", "b", "c", "d", "e")
    await tick()
    maximum = 1
    await tick()
    await tick()
    await tick()
    expect(batches).toStrictEqual([["a", "b"], ["c"], ["d"], ["e"]])
  })

  it("run one at a time if the limit is one, and later requests share the next batch", async () => {
    const { submit, batches, end } = opened({ batchesAtOnce: () => 1 })
    submit("a")
    await tick()
    submit("b")
    await tick()
    submit("c")
    await tick()
    expect(batches).toStrictEqual([["a"]])
    await end(0)
    await tick()
    expect(batches).toStrictEqual([["a"], ["b", "c"]])
  })

  it("start when the first request arrives if `begin` starts them immediately", () => {
    const { submit, batches } = opened({ begin: (flush) => flush(), batchesAtOnce: () => 1 })
    submit("a", "b")
    expect(batches).toStrictEqual([["a"]])
  })

  it("resolve in the tick in which they start if `carryOut` is synchronous", async () => {
    const { submit, answered } = openedAtOnce((batch) => batch.map(({ request }) => request.toUpperCase()))
    submit("a", "b")
    await tick()
    expect(answered).toStrictEqual(["A", "B"])
  })
})

describe("gathering", () => {
  it("adds the requests of the next ticks to several requests", async () => {
    const { submit, batches } = opened({ begin: gathering() })
    submit("a", "b")
    await tick()
    submit("c")
    await tick()
    expect(batches).toStrictEqual([])
    await tick()
    expect(batches).toStrictEqual([["a", "b", "c"]])
  })

  it("does not delay a lone request", async () => {
    const { submit, batches } = opened({ begin: gathering() })
    submit("a")
    await tick()
    expect(batches).toStrictEqual([["a"]])
  })

  it("waits for as many requests as the former batch had", async () => {
    const { submit, batches } = opened({ begin: gathering() })
    submit("a", "b")
    await tick()
    await tick()
    submit("c")
    await tick()
    await tick()
    await tick()
    submit("d")
    await tick()
    await tick()
    expect(batches).toStrictEqual([
      ["a", "b"],
      ["c", "d"],
    ])
  })

  it("ends after a few ticks without the requests of the former batch, and then delays no lone request", async () => {
    const { submit, batches } = opened({ begin: gathering() })
    submit("a", "b")
    await tick()
    await tick()
    submit("c")
    for (let ticks = 0; ticks < 8; ticks += 1) await tick()
    expect(batches).toStrictEqual([["a", "b"]])
    await tick()
    submit("d")
    await tick()
    expect(batches).toStrictEqual([["a", "b"], ["c"], ["d"]])
  })

  it("ends although each tick brings more requests", async () => {
    const { submit, batches } = opened({ begin: gathering(), maximum: 1000 })
    for (let ticks = 0; ticks < 68; ticks += 1) {
      submit("a", "b")
      await tick()
    }
    expect(batches.map(({ length }) => length)).toStrictEqual([66, 66])
  })
})

describe("the limit", () => {
  it("counts waiting and running requests, and accepts new ones after those have resolved", async () => {
    const { submit, end } = opened({ maximum: 3, batchMaximum: () => 2, batchesAtOnce: () => 1 })
    expect(submit("a", "b", "c", "d")).toStrictEqual([true, true, true, false])
    await tick()
    expect(submit("e")).toStrictEqual([false])
    await end(0)
    expect(submit("f", "g", "h")).toStrictEqual([true, true, false])
  })
})

describe("a failure", () => {
  it("of a batch is the outcome of all its requests, and does not affect the next batch", async () => {
    const ways: Array<Options["carryOut"]> = [
      () => {
        throw new Error("thrown")
      },
      () => Promise.reject(new Error("rejected")),
      (batch) => batch.map(({ request }) => request),
    ]
    const { submit, answered } = openedAtOnce((batch) => ways.shift()?.(batch) ?? [])
    for (const text of ["a", "b", "c"]) {
      submit(text, text)
      await tick()
    }
    expect(answered).toStrictEqual(["failed: thrown", "failed: thrown", "failed: rejected", "failed: rejected", "c", "c"])
  })

  it("is the outcome of a request that is missing from the batch's result", async () => {
    const { submit, answered } = openedAtOnce(() => ["first"])
    submit("a", "b")
    await tick()
    expect(answered).toStrictEqual(["first", "failed: A request has no outcome"])
  })
})

describe("a request that must be retried", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout"] }))
  afterEach(() => void vi.useRealTimers())

  it("runs after a delay, ahead of later requests in the same batch", async () => {
    const { submit, batches, end, answered } = opened({ againMillis: 5 })
    submit("a", "b", "c")
    await tick()
    await end(0, [again, "done", again])
    expect(answered).toStrictEqual(["done"])
    submit("d")
    await tick()
    expect(batches).toHaveLength(1)
    vi.advanceTimersByTime(5)
    expect(batches).toStrictEqual([
      ["a", "b", "c"],
      ["a", "c", "d"],
    ])
  })

  it("counts as pending, and delays closing", async () => {
    const { submit, end, close } = opened({ maximum: 1, againMillis: 5 })
    submit("a")
    await tick()
    await end(0, [again])
    expect(submit("b")).toStrictEqual([false])
    let isOver = false
    const closed = close().then(() => {
      isOver = true
    })
    await tick()
    expect(isOver).toBe(false)
    vi.advanceTimersByTime(5)
    await end(1)
    await closed
  })
})

describe("closing", () => {
  it("refuses further requests, and resolves when no request is pending", async () => {
    const { submit, end, close, isClosed, answered } = opened({ batchMaximum: () => 1, batchesAtOnce: () => 1 })
    submit("a", "b")
    await tick()
    const closed = close()
    expect(isClosed()).toBe(true)
    expect(submit("c")).toStrictEqual([false])
    await end(0)
    await tick()
    expect(answered).toStrictEqual(["a"])
    await end(1)
    await closed
    expect(answered).toStrictEqual(["a", "b"])
  })

  it("resolves immediately if no requests are pending", async () => {
    await opened().close()
  })
})

describe("onIdle", () => {
  it("is called when the last pending request has resolved", async () => {
    const idle = vi.fn()
    const { submit, end } = opened({ onIdle: idle, batchMaximum: () => 1 })
    submit("a", "b")
    await tick()
    await tick()
    await end(0)
    expect(idle).not.toHaveBeenCalled()
    await end(1)
    expect(idle).toHaveBeenCalledTimes(1)
  })
})
