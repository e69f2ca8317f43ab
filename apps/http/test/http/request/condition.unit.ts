/** Conditions on changes, as defined in RFC 9110 §13.1 and in section 11 of the specification. */
import type { IncomingMessage } from "node:http"
import { Option } from "effect"
import { expect, it } from "vitest"
import { HttpError } from "../../../src/http/error-response.js"
import { conditionOf } from "../../../src/http/request/condition.js"
import { etagOf } from "../../../src/http/response/entity-tag.js"

const tag = etagOf("present")
const allows = (headers: Record<string, string>, present: Option.Option<string>): boolean => {
  // Safe: a condition uses only the headers.
  const condition = conditionOf({ headers } as unknown as IncomingMessage, (one: string) => one)
  return condition === undefined || condition(present)
}

const compressed = (coding: string): string => tag.replace(/"$/, `-${coding}"`)

const there = Option.some("present")
const absent = Option.none<string>()

it.each([
  [{}, true, true],
  [{ "if-match": "*" }, true, false],
  [{ "if-match": tag }, true, false],
  [{ "if-match": `"a,b", ${tag}` }, true, false],
  [{ "if-match": `"a" ,, ${tag},` }, true, false],
  [{ "if-match": `W/${tag}` }, true, false],
  [{ "if-match": `"a", W/${tag}` }, true, false],
  [{ "if-match": compressed("gzip") }, true, false],
  [{ "if-match": `W/${compressed("br")}` }, true, false],
  [{ "if-match": compressed("x") }, false, false],
  [{ "if-none-match": compressed("gzip") }, false, true],
  [{ "if-match": '"other"' }, false, false],
  [{ "if-none-match": "*" }, false, true],
  [{ "if-none-match": tag }, false, true],
  [{ "if-none-match": `"a", W/${tag}` }, false, true],
  [{ "if-none-match": '"other"' }, true, true],
  [{ "if-match": tag, "if-none-match": '"other"' }, true, false],
  [{ "if-match": tag, "if-none-match": "*" }, false, false],
])("%j allows a change: %s if the value exists, and %s if it does not", (headers, ofThere, ofAbsent) => {
  expect([allows(headers, there), allows(headers, absent)]).toStrictEqual([ofThere, ofAbsent])
})

it.each([
  "",
  " ",
  ",",
  ", ,",
  "a",
  "W/",
  `${tag} ${tag}`,
  `*, ${tag}`,
  "**",
  `w/${tag}`,
  `W/ ${tag}`,
  `"a b"`,
  '"a',
  `${tag}, a`,
])("the list %j is rejected in If-Match and If-None-Match", (list) => {
  for (const name of ["If-Match", "If-None-Match"]) {
    const judge = () => allows({ [name.toLowerCase()]: list }, there)
    expect(judge).toThrow(HttpError)
    expect(judge).toThrow(new RegExp(`^${name}: expected entity tags in quotes`))
  }
})
