/** Cached pages: when they are sent, and when they are read again. */
import { setImmediate as endOfTick } from "node:timers/promises"
import type { PetRevision } from "@petstore/core"
import { Option } from "effect"
import { describe, expect, it } from "vitest"
import { cached, type Page } from "../../../src/http/response/page-cache.js"
import { readResponse, writeRead } from "../../../src/http/response/read-response.js"
import { exchangeOf } from "../exchange-of.js"

/** A catalogue with one page, which counts its reads. */
const catalogue = ({ isSettled = false, knowsRevision = true, waits = false } = {}) => {
  let revision: PetRevision = { insertions: 0, changes: 0 }
  let reads = 0
  let asked = 0
  let broken = false
  let forgetful = false
  const read = (): Page => {
    if (broken) throw new Error("told to")
    reads += 1
    return { answer: readResponse(`["read ${reads}"]`), isSettled, isEmpty: false }
  }
  const handler = cached(() => (waits ? endOfTick().then(read) : read()), {
    revision: () => {
      asked += 1
      // Fails only at the end of a tick, because a read requests the revision before it reads.
      if (forgetful && asked > 1) {
        forgetful = false
        throw new Error("told to")
      }
      return knowsRevision ? Option.some(revision) : Option.none()
    },
    readTogether: (read) => read,
    sendRead: writeRead,
  })
  const ask = (url = "/v1/pets") => {
    const { exchange, sent } = exchangeOf({ url })
    void handler(exchange)
    return () => /\r\n\r\n(.*)$/s.exec(sent())?.[1] ?? ""
  }
  return {
    ask,
    /** Sends a request, and waits for the response. */
    answer: async (url?: string) => {
      const body = ask(url)
      await endOfTick()
      await endOfTick()
      return body()
    },
    reads: () => reads,
    questions: () => asked,
    insert: () => {
      revision = { ...revision, insertions: revision.insertions + 1 }
    },
    change: () => {
      revision = { ...revision, changes: revision.changes + 1 }
    },
    /** Makes one later lookup of the revision fail. */
    forget: () => {
      forgetful = true
    },
    break: () => {
      broken = true
    },
  }
}

describe("a page", () => {
  it("is cached when it is requested a second time", async () => {
    const { answer, reads } = catalogue()
    expect([await answer(), await answer(), await answer(), await answer()]).toEqual([
      '["read 1"]',
      '["read 2"]',
      '["read 2"]',
      '["read 2"]',
    ])
    expect(reads()).toBe(2)
  })

  it("is read again after a pet was added, unless it is full", async () => {
    for (const isSettled of [false, true]) {
      const { answer, insert } = catalogue({ isSettled })
      await answer()
      await answer()
      insert()
      expect(await answer()).toBe(isSettled ? '["read 2"]' : '["read 3"]')
    }
  })

  it("is read again after a pet has changed, even if it is full", async () => {
    const { answer, change } = catalogue({ isSettled: true })
    await answer()
    await answer()
    change()
    expect(await answer()).toBe('["read 3"]')
    expect(await answer()).toBe('["read 3"]')
  })

  it("is never cached if the store has no revision", async () => {
    const { answer, reads } = catalogue({ knowsRevision: false })
    for (let asked = 0; asked < 4; asked += 1) await answer()
    expect(reads()).toBe(4)
  })

  it("counts as read at the start of its read, even if the read takes a long time", async () => {
    const { ask, answer, insert } = catalogue({ waits: true })
    await answer()
    const second = ask()
    // The page may or may not contain a pet that was added during the read.
    insert()
    await endOfTick()
    await endOfTick()
    expect(second()).toBe('["read 2"]')
    expect(await answer()).toBe('["read 3"]')
  })

  it("is cached only under its query", async () => {
    const { answer, reads } = catalogue()
    await answer("/v1/pets?limit=3")
    await answer("http://a/v1/pets?limit=3")
    await answer("/v1/pets?limit=3#x")
    expect(reads()).toBe(2)
    await answer("/v1/pets?limit=4")
    expect(reads()).toBe(3)
  })
})

describe("a request in a tick", () => {
  it("sees every commit that precedes it, even a commit of another process during the tick", async () => {
    const { ask, answer, insert } = catalogue()
    await answer()
    await answer()
    const earlier = ask()
    // Another process commits and responds to its client, which sends a request at once: Node reads both in one tick.
    insert()
    const later = ask()
    await endOfTick()
    expect(later()).toBe('["read 4"]')
    expect(earlier()).toBe('["read 3"]')
  })

  it("shares one lookup of the revision with the tick's other requests", async () => {
    const { ask, answer, questions } = catalogue()
    await answer()
    await answer()
    const before = questions()
    const bodies = Array.from({ length: 50 }, () => ask())
    await endOfTick()
    expect(new Set(bodies.map((body) => body()))).toEqual(new Set(['["read 2"]']))
    expect(questions()).toBe(before + 1)
  })

  it("reads the page again if the lookup of the revision fails", async () => {
    const { answer, forget } = catalogue()
    await answer()
    await answer()
    forget()
    expect(await answer()).toBe('["read 3"]')
  })

  it("fails if the page cannot be read again", async () => {
    const { answer, insert, break: breakDown } = catalogue()
    await answer()
    await answer()
    insert()
    breakDown()
    expect(JSON.parse(await answer())).toMatchObject({ code: "internal_error", status: 500 })
  })
})

describe("the cache", () => {
  it("does not store overlong queries or queries with an API key", async () => {
    const { answer, reads } = catalogue()
    const long = `/v1/pets?a=${"x".repeat(600)}`
    const secret = "/v1/pets?api_key=pst_dev_0123456789"
    for (const url of [long, secret]) for (let asked = 0; asked < 3; asked += 1) await answer(url)
    expect(reads()).toBe(6)
  })

  it("is limited in size, and forgets old requests", async () => {
    const { answer, reads } = catalogue()
    await answer("/v1/pets?first")
    for (let count = 0; count < 2_500; count += 1) await answer(`/v1/pets?${count}`)
    await answer("/v1/pets?first")
    const before = reads()
    // The previous request counted as the first for this page, so the page was not cached.
    await answer("/v1/pets?first")
    expect(reads()).toBe(before + 1)
  })
})
