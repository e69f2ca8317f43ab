import { expect, it } from "vitest"
import type { Result } from "../src/contest.ts"
import { comparison, doubts } from "../src/report.ts"

const servers = [{ name: "petstore", rival: "Fastify", former: "former petstore" }, { name: "Fastify" }]

/** A server's results in rounds 1, 2 and so on. */
const rounds = (server: string, ...rates: ReadonlyArray<number>): ReadonlyArray<Result> =>
  rates.map((requestsPerSecond, index) => ({
    workload: "page of 20",
    server,
    round: index + 1,
    requestsPerSecond,
    requests: requestsPerSecond,
    p50Millis: 1,
    p99Millis: 2,
    failures: 0,
    memoryMib: 100,
    cpuMicros: 10,
  }))

it("the table explains each column in one line, and mentions the former version only if it was measured", () => {
  const alone = [...rounds("petstore", 300), ...rounds("Fastify", 100)]
  const table = comparison(alone, servers, "bare node:http")
  expect(table).toContain("| page of 20 | petstore | 300 |")
  expect(table).not.toContain("former")
  const [, ...titles] = /^\| workload \|(.*) \|$/m.exec(table)?.[1]?.split(" | ") ?? []
  expect(titles.length).toBeGreaterThan(5)
  for (const title of titles) expect(table).toContain(`\n- ${title}: `)
  expect(comparison([...alone, ...rounds("former petstore", 150)], servers, "bare node:http")).toMatch(
    /× former .*\n.*\n.* 2\.00 \|/,
  )
})

it("the report warns about each ratio that varies too much between rounds, and about every table from a single round", () => {
  const steady = [...rounds("petstore", 300, 310, 290), ...rounds("Fastify", 100, 100, 100)]
  expect(doubts(steady, servers)).toBe("")
  const wild = [...rounds("petstore", 300, 100, 200), ...rounds("Fastify", 100, 100, 100)]
  expect(doubts(wild, servers)).toContain("- page of 20: petstore compared with Fastify, from 1.00 to 3.00")
  const once = [...rounds("petstore", 300), ...rounds("Fastify", 100)]
  expect(doubts(once, servers)).toMatch(/^Do not rely on the ratios in this table: [^\n]+$/)
})
