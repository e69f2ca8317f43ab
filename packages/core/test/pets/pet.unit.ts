import { Either } from "effect"
import { describe, expect, it } from "vitest"
import { maxInt64, minInt64 } from "../../src/json/int64.js"
import { decodeJson } from "../../src/json/json.js"
import { encodePet, encodePets, type Pet, petToJson } from "../../src/pets/pet.js"
import { decodeNewPet, decodePet, petFromJson } from "../../src/pets/pet-decoders.js"
import { bodyProblems } from "../problems.js"

const decoded = (text: string) => Either.flatMap(decodeJson(text), decodeNewPet)

const nameRule = "expected a string of 1 to 1024 code points, not blank, without U+0000 and lone surrogates"
const categoryRule = "expected an integer from -9223372036854775808 to 9223372036854775807"
const statusRule = "expected one of available, pending, sold"

const problems = (text: string) => bodyProblems(decoded(text))

describe("decodeNewPet", () => {
  it("accepts a pet with or without a status", () => {
    expect(decoded('{"name": "Bello", "categoryId": 7, "status": "sold"}')).toStrictEqual(
      Either.right({ name: "Bello", categoryId: 7n, status: "sold" }),
    )
    expect(decoded('{"name": "Bello", "categoryId": 7}')).toStrictEqual(Either.right({ name: "Bello", categoryId: 7n }))
  })

  it("ignores unknown members, such as id and __proto__", () => {
    expect(
      decoded(
        '{"id": 5, "name": "Bello", "__proto__": {"status": "sold"}, "constructor": 1, "tag": {"a": [1.5]}, "categoryId": 7}',
      ),
    ).toStrictEqual(Either.right({ name: "Bello", categoryId: 7n }))
  })

  it("does not take members from __proto__", () => {
    expect(problems('{"__proto__": {"name": "Bello", "categoryId": 7}}')).toStrictEqual([
      "name: is required, got nothing",
      "categoryId: is required, got nothing",
    ])
  })

  it("keeps the name exactly as given", () => {
    const name = " Be\u0301llo \u2028\u{10FFFF} "
    expect(decoded(JSON.stringify({ name, categoryId: 1 }))).toStrictEqual(Either.right({ name, categoryId: 1n }))
  })

  it("uses the last value of duplicate keys", () => {
    expect(decoded('{"name": 1, "name": "Bello", "categoryId": "x", "categoryId": 7}')).toStrictEqual(
      Either.right({ name: "Bello", categoryId: 7n }),
    )
  })

  it.each([
    ["0", 0n],
    ["-0", 0n],
    ["1.0", 1n],
    ["1e2", 100n],
    ["9007199254740993", 9007199254740993n],
    ["9223372036854775807", maxInt64],
    ["-9223372036854775808", minInt64],
  ])("accepts the categoryId %s", (text, categoryId) => {
    expect(decoded(`{"name": "Bello", "categoryId": ${text}}`)).toStrictEqual(Either.right({ name: "Bello", categoryId }))
  })

  it.each([
    ["1.5", "1.5"],
    ["1e400", "1e400"],
    ["1e-1", "1e-1"],
    ["9223372036854775808", "9223372036854775808"],
    ["-9223372036854775809", "-9223372036854775809"],
    ["1.0000000000000000001", "1.0000000000000000001"],
    ['"1"', '"1"'],
    ["null", "null"],
    ["true", "true"],
    ["[]", "an array"],
    ["{}", "an object"],
    ["[1]", "an array"],
  ])("refuses the categoryId %s and shows it", (text, shown) => {
    expect(problems(`{"name": "Bello", "categoryId": ${text}}`)).toStrictEqual([`categoryId: ${categoryRule}, got ${shown}`])
  })

  it.each([
    ['""', '""'],
    ['" \\t\\u00a0"', '" \\t\u00A0"'],
    ['"a\\u0000b"', '"a\\u0000b"'],
    ['"\\ud800"', '"\\ud800"'],
    ['"\\udc00\\ud800"', '"\\udc00\\ud800"'],
    [`"${"a".repeat(1025)}"`, `"${"a".repeat(60)}…"`],
    [`"${"🐕".repeat(1025)}"`, `"${"🐕".repeat(60)}…"`],
    ["null", "null"],
    ["7", "7"],
    ["1.5", "1.5"],
    ["false", "false"],
    ['["Bello"]', "an array"],
    ["{}", "an object"],
  ])("refuses an invalid name and shows it: case %#", (text, shown) => {
    expect(problems(`{"name": ${text}, "categoryId": 7}`)).toStrictEqual([`name: ${nameRule}, got ${shown}`])
  })

  it.each([
    ["null", "null"],
    ['""', '""'],
    ['"Sold"', '"Sold"'],
    ['"sold "', '"sold "'],
    ['"adopted"', '"adopted"'],
    ["1", "1"],
    ['["sold"]', "an array"],
    ["{}", "an object"],
  ])("refuses the status %s and shows it", (text, shown) => {
    expect(problems(`{"name": "Bello", "categoryId": 7, "status": ${text}}`)).toStrictEqual([
      `status: ${statusRule}, got ${shown}`,
    ])
  })

  it("names every missing field", () => {
    expect(problems("{}")).toStrictEqual(["name: is required, got nothing", "categoryId: is required, got nothing"])
  })

  it("names the member that was sent instead of a missing one, and every invalid field", () => {
    expect(problems('{"Name": "Bello", "category_id": 1}')).toStrictEqual([
      'name: is required, got "Name" in its place',
      'categoryId: is required, got "category_id" in its place',
    ])
    expect(problems('{"name": "Bello", "categoryId": 7, "Status": "sold"}')).toStrictEqual([
      'status: expected the name in this spelling, got "Status"',
    ])
    expect(problems('{"name": "", "categoryId": 7, "STATUS": "sold"}')).toStrictEqual([
      `name: ${nameRule}, got ""`,
      'status: expected the name in this spelling, got "STATUS"',
    ])
    expect(problems('{"name": "", "categoryId": 1.5, "status": "lost"}')).toStrictEqual([
      `name: ${nameRule}, got ""`,
      `categoryId: ${categoryRule}, got 1.5`,
      `status: ${statusRule}, got "lost"`,
    ])
  })

  it.each([
    ["null", "null"],
    ["[]", "an array"],
    ['[{"name": "Bello", "categoryId": 7}]', "an array"],
    ['"Bello"', '"Bello"'],
    ["7", "7"],
    ["1.5", "1.5"],
    ["true", "true"],
  ])("refuses the body %s, which is not an object", (text, shown) => {
    expect(problems(text)).toStrictEqual([`body: expected a JSON object, got ${shown}`])
  })
})

describe("encodePet and encodePets", () => {
  it("write the members in the specification's order, and all digits of integers", () => {
    expect(encodePet({ status: "sold", categoryId: minInt64, name: "Bello", id: maxInt64 })).toBe(
      '{"id":9223372036854775807,"name":"Bello","categoryId":-9223372036854775808,"status":"sold"}',
    )
  })

  it("omit an absent status", () => {
    expect(encodePet({ id: 1n, name: "Bello", categoryId: 7n })).toBe('{"id":1,"name":"Bello","categoryId":7}')
  })

  it.each(['"', "\\", "\n", "\u0001", "\u2028", "é", "🐕", "</script>"])(
    "write a name with %j so that JSON.parse can read it back",
    (name) => {
      expect(JSON.parse(encodePet({ id: 1n, name, categoryId: 7n }))).toStrictEqual({ id: 1, name, categoryId: 7 })
    },
  )

  it("write a list as an array of pets, with integers up to and past 2^53", () => {
    const safe = BigInt(Number.MAX_SAFE_INTEGER)
    const integers = [0n, 7n, -7n, safe, safe + 1n, -safe, -safe - 1n, minInt64, maxInt64]
    const names = ["Bello", '"', "\\", "\n", "\u0001", "\u2028", "é", "🐕", "__proto__"]
    const pets = integers.flatMap((id) =>
      names.map(
        (name, place): Pet => ({ id, name, categoryId: integers[place] ?? 0n, ...(place % 2 === 0 && { status: "sold" }) }),
      ),
    )
    expect(encodePets([])).toBe("[]")
    for (const pet of pets) expect(encodePets([pet, pet])).toBe(`[${encodePet(pet)},${encodePet(pet)}]`)
    expect(encodePets(pets)).toBe(`[${pets.map(encodePet).join(",")}]`)
  })
})

describe("decodePet", () => {
  const read = (text: string) => Either.flatMap(decodeJson(text), decodePet)

  it("reads what encodePet writes", () => {
    for (const pet of [
      { id: maxInt64, name: "Bello", categoryId: minInt64, status: "sold" } as const,
      { id: 1n, name: "Ada", categoryId: 7n },
    ]) {
      expect(read(encodePet(pet))).toStrictEqual(Either.right(pet))
    }
  })

  it("requires an id", () => {
    expect(bodyProblems(read('{"name": "Bello", "categoryId": 7}'))).toStrictEqual(["id: is required, got nothing"])
  })
})

describe("petToJson and petFromJson", () => {
  it("keep a pet exact through JSON.stringify and JSON.parse", () => {
    for (const pet of [
      { id: maxInt64, name: "Bello", categoryId: minInt64, status: "sold" } as const,
      { id: 1n, name: "Ada", categoryId: 7n },
    ]) {
      expect(petFromJson(JSON.parse(JSON.stringify(petToJson(pet))))).toStrictEqual(Either.right(pet))
    }
  })

  it.each([
    [
      { id: "01", name: "Bello", categoryId: "7" },
      ['id: expected an integer from -9223372036854775808 to 9223372036854775807, got "01"'],
    ],
    [{ name: "Bello" }, ["id: is required, got nothing", "categoryId: is required, got nothing"]],
    [null, ["body: expected a JSON object, got null"]],
  ])("refuse %j", (json, problems) => {
    expect(bodyProblems(petFromJson(json))).toStrictEqual(problems)
  })
})
