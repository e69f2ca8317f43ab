import { Either, Option } from "effect"
import { describe, expect, it } from "vitest"
import { checksumOf } from "../../src/crc32.js"
import { encodeCursor } from "../../src/page.js"
import { decodePetPageRequest } from "../../src/pets/pets.js"
import { queryProblem, valuesIn } from "../problems.js"

const decoded = (query: string) => decodePetPageRequest(valuesIn(query))

const problem = (query: string) => queryProblem(decoded(query))

const cursor = encodeCursor({ list: "pets", filter: "sold", after: 9007199254740993n })
const unfiltered = encodeCursor({ list: "pets", filter: "", after: 20n })

describe("decodePetPageRequest", () => {
  it("requests the first 20 pets with any status by default", () => {
    expect(decoded("")).toStrictEqual(Either.right({ limit: 20, status: Option.none(), after: Option.none() }))
  })

  it.each(["available", "pending", "sold"] as const)("accepts a limit and the status %s", (status) => {
    expect(decoded(`limit=5&status=${status}`)).toStrictEqual(
      Either.right({ limit: 5, status: Option.some(status), after: Option.none() }),
    )
  })

  it("accepts a cursor with its original filter and any limit", () => {
    expect(decoded(`status=sold&cursor=${cursor}&limit=7`)).toStrictEqual(
      Either.right({ limit: 7, status: Option.some("sold"), after: Option.some(9007199254740993n) }),
    )
    expect(decoded(`cursor=${unfiltered}`)).toStrictEqual(
      Either.right({ limit: 20, status: Option.none(), after: Option.some(20n) }),
    )
  })

  it("keeps a name with at least one word as it was given, beside any order", () => {
    const named = (name: string) => Either.map(decoded(`order=desc&name=${name}`), (request) => request.name)
    const names = ["B\u00e9l", "x".repeat(64), "\ufdfa".repeat(64), "a -", "1"]
    expect(names.map(named)).toStrictEqual(names.map((name) => Either.right(name)))
    const wordless = ["", "\0", "\0a", "\u0301", "-", "\u{1f436}", "x".repeat(65), "\ud800a"]
    expect(wordless.filter((name) => Either.isRight(named(name)))).toStrictEqual([])
  })

  it("accepts a cursor with another text of the same words", () => {
    const filter = checksumOf(encodeURI("&name,bel mr"))
    const start = encodeCursor({ list: "pets", filter, after: 7n })
    for (const name of ["mr bel", "B\u00c9L, Mr.", "m mr be bel"]) {
      expect(decoded(`name=${name}&cursor=${start}`)).toMatchObject({ right: { after: Option.some(7n), name } })
    }
    expect(problem(`name=mr&cursor=${start}`)).toContain("cursor")
  })

  it("lists the pets without a status only for true, and never beside a status", () => {
    expect(decoded("withoutStatus=true")).toMatchObject({ right: { withoutStatus: true, status: Option.none() } })
    for (const query of ["=", "=false", "=True", "=1", "=true&withoutStatus=true", "=true&status=sold"]) {
      expect(problem(`withoutStatus${query}`)).toMatch(/^withoutStatus: expected true, and no status beside it, got /)
    }
  })

  it("ignores unknown parameters", () => {
    expect(decoded("Limit=0&offset=5&__proto__=1&status[]=x")).toStrictEqual(decoded(""))
  })

  it.each([
    ["status=", '""'],
    ["status=Sold", '"Sold"'],
    ["status=sold ", '"sold "'],
    ["status=lost", '"lost"'],
    ["status=toString", '"toString"'],
    ["status=sold,pending", '"sold,pending"'],
    ["status=sold&status=sold", "2 values"],
    ["status=sold&status=", "2 values"],
  ])("refuses %s", (query, received) => {
    expect(problem(query)).toBe(`status: expected one of available, pending, sold, got ${received}`)
  })

  it.each(["limit=", "limit=0", "limit=101", "limit=5&limit=5"])("refuses %s", (query) => {
    expect(problem(query)).toMatch(/^limit: expected one whole number from 1 to 100, in digits, got /)
  })

  it.each([
    ["cursor=", "a cursor from an earlier page"],
    ["cursor=x", "a cursor from an earlier page"],
    [`cursor=${cursor}`, "the list and the filter that the cursor was made for"],
    [`status=pending&cursor=${cursor}`, "the list and the filter that the cursor was made for"],
    [`status=sold&cursor=${unfiltered}`, "the list and the filter that the cursor was made for"],
    [`cursor=${unfiltered}&cursor=${unfiltered}`, "one cursor"],
  ])("refuses %s", (query, expected) => {
    expect(problem(query)).toContain(`cursor: expected ${expected}, got `)
  })
})
