/** `If-None-Match`, as defined in RFC 9110 §13.1.2 and in section 11 of the specification. */
import { expect, it } from "vitest"
import { isKnown } from "../../../src/http/response/entity-tag.js"

const tag = '"abc_-1"'

it.each([
  tag,
  `W/${tag}`,
  ` ${tag}\t`,
  `"x", ${tag}`,
  `${tag},"x"`,
  `"x",W/${tag} , "y"`,
  `, ${tag}`,
  `${tag},`,
  "*",
  ` * `,
  `"a,b", ${tag}`,
  '"abc_-1-gzip"',
  'W/"abc_-1-br"',
])("the If-None-Match header %j names the tag", (header) => {
  expect(isKnown(header, tag)).toBe(true)
})

it.each([
  "",
  '"other"',
  "abc_-1",
  '"abc_-1-x"',
  '"abc_-1-gzip-gzip"',
  `garbage, ${tag}`,
  `${tag}, garbage`,
  `${tag} ${tag}`,
  `${tag}x`,
  `w/${tag}`,
  `W/ ${tag}`,
  `*, ${tag}`,
  `"a b", ${tag}`,
  `"x, ${tag}`,
  '"abc_-1',
  `'abc_-1'`,
])("the If-None-Match header %j does not name the tag", (header) => {
  expect(isKnown(header, tag)).toBe(false)
})

it("isKnown takes less than 1 s of CPU time for headers that are almost lists", () => {
  const before = process.threadCpuUsage()
  expect(isKnown(`${'"x" , '.repeat(3_000)}y`, tag)).toBe(false)
  expect(isKnown(`${",".repeat(15_000)}y`, tag)).toBe(false)
  expect(isKnown(`${", ".repeat(7_000)}y`, tag)).toBe(false)
  // The CPU time of this thread in µs, which excludes other load.
  expect(process.threadCpuUsage(before).user).toBeLessThan(1_000_000)
})
