/** A request's log line, which the service builds without pino. `log.test.ts` tests its facts. These tests parse the line. */
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { requestLog } from "../../src/telemetry/request-log.js"
import type { ObservedRequest } from "../../src/telemetry/request-observer.js"

const answered: ObservedRequest = {
  requestId: "r-1",
  apiKey: { id: "key_1", accountId: "acc_1" },
  operation: "listPets",
  isDeprecated: false,
  method: "GET",
  path: "/v1/pets",
  status: 200,
  durationMillis: 1.0049,
  bodyBytes: 231,
  isAnswered: true,
  traceId: undefined,
  clientAddress: "192.0.2.7",
}

const linesOf = (...requests: ReadonlyArray<Partial<ObservedRequest>>): ReadonlyArray<string> => {
  const lines: Array<string> = []
  const { ended } = requestLog((line) => void lines.push(line), { pid: 7, hostname: 'a "machine"' }, false)
  for (const request of requests) ended({ ...answered, ...request })
  return lines
}

const entriesOf = (...requests: ReadonlyArray<Partial<ObservedRequest>>): ReadonlyArray<unknown> =>
  linesOf(...requests).map((line) => JSON.parse(line))

describe("refused credentials", () => {
  it("have a hundred lines in ten seconds, and one line with the number of all others", () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const lines: Array<string> = []
    const { ended } = requestLog((line) => void lines.push(line), { pid: 7, hostname: "h" }, false)
    for (let sent = 0; sent < 5_000; sent += 1) ended({ ...answered, apiKey: undefined, status: 401 })
    ended(answered)
    expect(lines).toHaveLength(101)
    vi.advanceTimersByTime(10_000)
    expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({ level: "warn", requests: 4_900 })
    ended({ ...answered, status: 401 })
    expect(lines).toHaveLength(103)
    vi.advanceTimersByTime(10_000)
    expect(lines).toHaveLength(103)
  })
})

describe("a request's log line", () => {
  it.each([0, 0.0004, 0.0005, 0.999_6, 1, 59.0101, 12_345.678_9])(
    "states a duration of %d ms to the microsecond",
    (durationMillis) => {
      expect(entriesOf({ durationMillis })).toEqual([
        expect.objectContaining({ durationMillis: Math.round(durationMillis * 1000) / 1000 }),
      ])
    },
  )

  it.each(['/"}\n{"level":60}', "/\u001b[31m", "/\u2028\u0085\u007f", "/\\", "/ü🐈", `/${"x".repeat(4_000)}`])(
    "is one line of ASCII for the path %j",
    (path) => {
      const [line = ""] = linesOf({ path })
      expect(line).toMatch(/^[ -~]+\n$/)
      expect(JSON.parse(line)).toMatchObject({ path: path.slice(0, 200) })
    },
  )

  it("has the identifier of what a creation made, with all its digits", () => {
    expect(entriesOf({ made: 9007199254740993n })).toEqual([expect.objectContaining({ made: "9007199254740993" })])
  })

  it("has a body length of 0 bytes for HEAD", () => {
    expect(entriesOf({ method: "HEAD" })).toEqual([expect.objectContaining({ bytes: 0 })])
  })

  it("has no API key in its path", () => {
    const secret = `pst_dev_${"0aZ".repeat(12)}`
    const everyByteEncoded = secret.replace(/./g, (unit) => `%25${unit.charCodeAt(0).toString(16)}`)
    for (const path of [
      `/v1/pets/${secret}`,
      `/${"x".repeat(180)}/${secret}`,
      `/pst%5Fdev%5F${secret.slice(8)}`,
      `/${everyByteEncoded}`,
    ]) {
      const [line = ""] = linesOf({ path })
      expect(decodeURIComponent(decodeURIComponent(line))).not.toMatch(/0aZ/)
      expect(line.length).toBeLessThan(500)
    }
  })
})
