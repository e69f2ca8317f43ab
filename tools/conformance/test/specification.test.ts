import { errorStatuses } from "@petstore/core/contract"
import { codes } from "@petstore/harness/expectations"
import { describe, expect, it } from "vitest"
import { readSpecification, specification } from "../src/specification.ts"
import { suite } from "../src/suite.ts"
import { untestable } from "../src/untestable.ts"

const stated = specification().map(({ number }) => number)
const tried = suite.map(({ number }) => number)

describe("the suite", () => {
  it("has a test for every sentence, or a reason why no test is possible", () => {
    expect(stated.filter((number) => !tried.includes(number) && !Object.hasOwn(untestable, number))).toStrictEqual([])
  })

  it("tests only sentences of the specification", () => {
    expect(tried.filter((number) => !stated.includes(number))).toStrictEqual([])
  })

  it("gives a reason only for sentences of the specification that it does not test", () => {
    expect(Object.keys(untestable).filter((number) => !stated.includes(number) || tried.includes(number))).toStrictEqual([])
  })

  it("contains no number twice, and neither does the specification", () => {
    expect(stated).toHaveLength(new Set(stated).size)
    expect(tried).toHaveLength(new Set(tried).size)
  })

  it("expects the error codes that the specification lists, with their statuses", () => {
    const listed = specification().find(({ text }) => text.includes("one of a closed list"))?.text ?? ""
    const groups = [...listed.matchAll(/((?:`[a-z_]+`[ ]?|and )+)(\d{3})/g)]
    const stated = groups.flatMap(([, names = "", status]) =>
      [...names.matchAll(/`([a-z_]+)`/g)].map(([, code]) => [code, Number(status)]),
    )
    expect(Object.fromEntries(stated)).toStrictEqual(codes)
  })

  it("expects exactly the error codes of the service, with their statuses", () => {
    expect(errorStatuses).toStrictEqual(codes)
  })

  it("cannot be built from a specification that has a numbered line in an unknown format", () => {
    expect(() => readSpecification("- **1.1** · X · Something.")).toThrow("not a numbered sentence")
  })
})
