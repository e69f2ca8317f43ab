/** Tests the calculation of waits, and the reading and writing of headers and queries. */
import { expect, it } from "vitest"
import { petStatuses } from "../src/facts.js"
import { cursorIn, pagePath } from "../src/page.js"
import { backoffMillis, retryAfterMillis } from "../src/time.js"

it.each([
  [1, 250],
  [2, 500],
  [3, 1000],
  [6, 8000],
  [2000, 8000],
])("backoffMillis after failure number %i is between 0 and %i ms", (attempts, most) => {
  expect(backoffMillis(attempts, undefined, 0)).toBe(0)
  expect(backoffMillis(attempts, undefined, 1)).toBe(most)
  expect(backoffMillis(attempts, undefined, 0.5)).toBe(most / 2)
})

it("backoffMillis is never shorter than the wait that the service requires", () => {
  expect(backoffMillis(1, 3000, 0)).toBe(3000)
  expect(backoffMillis(1, 3000, 1)).toBe(3250)
})

it.each([
  ["7", null, 7000],
  ["0", null, 0],
  ["Fri, 05 Dec 2025 00:00:10 GMT", "Fri, 05 Dec 2025 00:00:00 GMT", 10_000],
  ["Fri, 05 Dec 2025 00:00:00 GMT", "Fri, 05 Dec 2025 00:00:10 GMT", 0],
  ["Fri, 05 Dec 2025 00:00:00 GMT", null, 0],
  ["soon", null, undefined],
  ["-1", "no date", undefined],
  [null, null, undefined],
])("retryAfterMillis reads Retry-After %s with Date %s as %s", (header, date, millis) => {
  expect(retryAfterMillis(header, date)).toBe(millis)
})

it.each([
  [null, undefined],
  ["", undefined],
  ['</v1/pets?limit=2&cursor=abc>; rel="next"', "abc"],
  ["</v1/pets?cursor=abc>; rel=next", "abc"],
  ['</v1/pets?cursor=first>; rel="first", </v1/pets?cursor=a%2Bb&limit=2>; title="x, y"; rel="next"', "a+b"],
  ['</v1/pets?cursor=old>; rel="prev"', undefined],
  ['</v1/pets>; rel="successor-version"', undefined],
  ['</v1/pets?limit=2>; rel="next"', undefined],
  ['</v1/pets?cursor=%E0%A4%A>; rel="next"', "\u{FFFD}%A"],
])("cursorIn returns the next cursor, if any, in %s", (header, cursor) => {
  expect(cursorIn(header, "next")).toBe(cursor)
})

it.each([
  [{}, "/pets"],
  [{ status: undefined, limit: 5 }, "/pets?limit=5"],
  [{ status: "sold", limit: 5, cursor: "a+b&c" }, "/pets?limit=5&status=sold&cursor=a%2Bb%26c"],
  [{ cursor: "\ud800" }, "/pets?cursor=%EF%BF%BD"],
] as const)("pagePath writes the query %j as %s", (query, path) => {
  expect(pagePath("/pets", petStatuses, query)).toBe(path)
})
