/** Generates valid and invalid pets and bodies in many forms of JSON. Written independently of core's schemas, which it tests. */
import type { NewPet } from "@petstore/conformance/catalogue"
import { notJson, wrongCategories, wrongNames, wrongPetStatuses } from "@petstore/conformance/wrong-values"
import type { Correction } from "@petstore/model/rules"
import fc from "fast-check"

/** A body and its meaning: a pet, or the reason why it is not valid. */
export type Body =
  | { readonly text: string; readonly pet: NewPet }
  | { readonly text: string | Uint8Array; readonly codes: ReadonlyArray<"invalid_json" | "invalid_body"> }

export const perhaps = <A>(arbitrary: fc.Arbitrary<A>): fc.Arbitrary<A | undefined> => fc.option(arbitrary, { nil: undefined })

export const weighted = <Values extends ReadonlyArray<unknown>>(
  ...options: { readonly [Place in keyof Values]: readonly [weight: number, arbitrary: fc.Arbitrary<Values[Place]>] }
): fc.Arbitrary<Values[number]> => fc.oneof(...options.map(([weight, arbitrary]) => ({ weight, arbitrary })))

export const anyOf = (table: Readonly<Record<string, ReadonlyArray<string>>>): fc.Arbitrary<string> =>
  fc.constantFrom(...Object.values(table).flat())

export const int64 = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.bigInt({ min: 2n ** 53n - 3n, max: 2n ** 53n + 3n }),
  fc.bigInt({ min: -9n, max: 9n }),
  fc.constantFrom(-(2n ** 63n), 2n ** 63n - 1n),
)

const longest = 1024

/** Any Unicode scalar value, often a special one. (fast-check's own unit builds a complete table, which takes seconds.) */
const character = weighted(
  [6, fc.integer({ min: 0x20, max: 0x7e })],
  [1, fc.integer({ min: 0, max: 0x1f })],
  [2, fc.integer({ min: 0x7f, max: 0x2fff })],
  [1, fc.integer({ min: 0xe000, max: 0xffff })],
  [1, fc.integer({ min: 0x10000, max: 0x10ffff })],
  [1, fc.constantFrom(0x22, 0x5c, 0x2028, 0x2029, 0xfeff, 0x202e, 0x0301, 0x200d)],
).map((codePoint) => String.fromCodePoint(codePoint))

/** Text that UTF-8 can encode. */
export const text = (maxLength: number): fc.Arbitrary<string> => fc.string({ unit: character, maxLength })

/** A valid name: not blank, at most 1024 code points, no U+0000, no lone surrogate. */
export const goodName = weighted(
  [8, text(40)],
  [
    1,
    fc
      .tuple(fc.constantFrom("a", "ß", "😀", "\u0301", "\u2028"), fc.integer({ min: longest - 3, max: longest }))
      .map(([letter, length]) => letter.repeat(length)),
  ],
).filter((name) => name.trim() !== "" && !name.includes("\0") && name.isWellFormed() && [...name].length <= longest)

/** A valid note: at most 256 code points, no U+0000, no lone surrogate. May be empty. */
export const note = weighted(
  [8, text(40)],
  [1, fc.constantFrom("", " ", ...["a", "ß", "😀"].map((letter) => letter.repeat(256)))],
).filter((one) => !one.includes("\0") && one.isWellFormed() && [...one].length <= 256)

const status = fc.constantFrom("available", "pending", "sold")

/** A pet that the service must accept. */
export const newPet: fc.Arbitrary<NewPet> = fc
  .tuple(goodName, int64, perhaps(status))
  .map(([name, categoryId, given]) => (given === undefined ? { name, categoryId } : { name, categoryId, status: given }))

/** A string as JSON, with some of its characters escaped (RFC 8259 §7). */
const spelledString = (text: string, isEscaped: (index: number) => boolean): string =>
  `"${[...Array(text.length).keys()]
    .map((index) =>
      isEscaped(index)
        ? `\\u${text.charCodeAt(index).toString(16).padStart(4, "0")}`
        : // Iterates over code units, because iterating over `text` itself would join the halves of a surrogate pair.
          escapedOnlyIfNeeded(text.charAt(index)),
    )
    .join("")}"`

const escapedOnlyIfNeeded = (unit: string): string => {
  if (unit === '"' || unit === "\\") return `\\${unit}`
  return unit < " " ? JSON.stringify(unit).slice(1, -1) : unit
}

/** A JSON string with some escapes. Surrogates are never escaped, because UTF-8 cannot encode a remaining half of a pair. */
const jsonString = (text: string): fc.Arbitrary<string> =>
  fc.integer({ min: 0, max: 7 }).map((every) => {
    const isPair = (index: number) => /[\ud800-\udfff]/.test(text.charAt(index))
    return spelledString(text, (index) => every > 0 && index % every === 0 && !isPair(index))
  })

/** An integer as JSON: plain, with a fraction of zeros, or with an exponent that results in the same value. */
const jsonInteger = (value: bigint): fc.Arbitrary<string> => {
  const sign = value < 0n ? "-" : ""
  const digits = `${value < 0n ? -value : value}`
  return weighted(
    [4, fc.constant(`${value}`)],
    [1, fc.nat({ max: 9 }).map((zeros) => `${value}.${"0".repeat(zeros + 1)}`)],
    // Appends a zero, and an exponent that removes the zero. A number must not begin with two zeros.
    [1, fc.constantFrom("e-1", "E-1", "e-01").map((tenth) => `${sign}${digits === "0" ? "" : digits}0${tenth}`)],
    [
      1,
      fc.nat({ max: digits.length - 1 }).map((shift) => {
        const at = digits.length - shift
        return shift === 0 ? `${sign}${digits}e0` : `${sign}${digits.slice(0, at)}.${digits.slice(at)}e${shift}`
      }),
    ],
  )
}

const space = fc.constantFrom("", "", "", " ", "\n", "\t", "\r\n  ")

/** Other spellings of members. They are unknown members, except in place of the member, which makes a body invalid. */
const otherSpellings: ReadonlyMap<string, string> = new Map([
  ["Name", "name"],
  ["categoryID", "categoryId"],
  ["category_id", "categoryId"],
  ["STATUS", "status"],
])

const isMisspelled = (other: string, given: ReadonlyArray<readonly [name: string, value: string]>): boolean => {
  const meant = otherSpellings.get(other)
  return meant !== undefined && !given.some(([name]) => name === meant)
}

/** Names and values of members that must not become part of the pet. */
const unknownMembers = fc.tuple(
  fc.oneof(
    fc.constantFrom("id", "__proto__", "constructor", "toString", "prototype", "", "\u0000", ...otherSpellings.keys()),
    text(8),
  ),
  fc.oneof(fc.json({ maxDepth: 2 }), fc.constantFrom('{"name":"x","status":"sold"}', "1e400", "[[[[[[]]]]]]", "-0", "1e-1")),
)

/** The members as one JSON object, in random order, with white space between them. */
const jsonObject = (members: ReadonlyArray<readonly [name: string, value: string]>): fc.Arbitrary<string> =>
  fc.tuple(fc.shuffledSubarray([...members], { minLength: members.length }), space, space).map(([shuffled, before, after]) => {
    const inside = shuffled.map(([name, value]) => `${before}${JSON.stringify(name)}${after}:${before}${value}`).join(`${after},`)
    return `${before}{${inside}${after}}${after}`
  })

const members = ["name", "categoryId", "status"] as const
const known: ReadonlySet<string> = new Set(members)

/** A pet, unless its status has another spelling. */
const goodBody: fc.Arbitrary<Body> = newPet.chain((pet) =>
  fc
    .tuple(jsonString(pet.name), jsonInteger(pet.categoryId), fc.array(unknownMembers, { maxLength: 2 }))
    .chain(([name, categoryId, others]) => {
      const given = [
        ["name", name] as const,
        ["categoryId", categoryId] as const,
        ...(pet.status === undefined ? [] : [["status", `"${pet.status}"`] as const]),
      ]
      const isWrong = others.some(([other]) => isMisspelled(other, given))
      return jsonObject([...given, ...others.filter(([other]) => !known.has(other))]).map(
        (text): Body => (isWrong ? { text, codes: ["invalid_body"] } : { text, pet }),
      )
    }),
)

const badName = fc.oneof(
  anyOf(wrongNames),
  fc.integer({ min: longest + 1, max: longest * 2 + 2 }).map((length) => JSON.stringify("😀".repeat(length))),
  fc.integer({ min: longest + 1, max: 9000 }).map((length) => JSON.stringify("a".repeat(length))),
)

const badCategory = fc.oneof(
  anyOf(wrongCategories),
  fc.bigInt({ min: 2n ** 63n, max: 2n ** 80n }).chain((beyond) => fc.constantFrom(`${beyond}`, `${-beyond - 1n}`)),
)

const badStatus = fc.oneof(
  fc.constantFrom(...wrongPetStatuses),
  fc
    .string({ unit: "binary", maxLength: 12 })
    .filter((text) => text.isWellFormed() && !["available", "pending", "sold"].includes(text))
    .map((text) => JSON.stringify(text)),
)

const bad = { name: badName, categoryId: badCategory, status: badStatus }

/** An object that would be a pet, except for one or more members. */
const badBody: fc.Arbitrary<Body> = fc
  .tuple(fc.subarray([...members], { minLength: 1 }), badName, badCategory, badStatus, fc.boolean())
  .chain(([wrong, name, categoryId, status, isMissing]) => {
    const wrongValues = { name, categoryId, status }
    const rightValues = { name: '"Bello"', categoryId: "1", status: '"sold"' }
    const all = members.flatMap((member) => {
      if (!wrong.includes(member)) return [[member, rightValues[member]] as const]
      // An absent status is valid.
      return isMissing && member !== "status" ? [] : [[member, wrongValues[member]] as const]
    })
    return jsonObject(all).map((text): Body => ({ text, codes: ["invalid_body"] }))
  })

/** If several members have the same name, the last one counts. */
const duplicateBody: fc.Arbitrary<Body> = fc
  .tuple(newPet, fc.constantFrom(...members))
  .chain(([pet, member]) => bad[member].map((value) => ({ pet: { ...pet, status: "sold" }, member, value })))
  .map(({ pet, member, value }) => {
    const right = `"name":${JSON.stringify(pet.name)},"categoryId":${pet.categoryId},"status":"sold"`
    return { text: `{"${member}":${value},${right}}`, pet }
  })

const notAnObject: fc.Arbitrary<Body> = fc
  .oneof(
    fc.json({ maxDepth: 1 }),
    fc.nat({ max: 5000 }).map((depth) => "[".repeat(depth + 1) + "]".repeat(depth + 1)),
  )
  .filter((text) => !text.trim().startsWith("{"))
  .map((text) => ({ text, codes: ["invalid_json", "invalid_body"] }))

/** Text that is rarely JSON and never a pet. */
const brokenJson: fc.Arbitrary<Body> = fc
  .oneof(
    fc.uint8Array({ maxLength: 200 }),
    text(100),
    fc.constantFrom("", '\ufeff{"name":"a","categoryId":1}', ...notJson),
    goodBody.chain(({ text }) =>
      fc.nat({ max: 300 }).map((cut) => (typeof text === "string" ? text.trimEnd().slice(0, -1 - cut) : text)),
    ),
  )
  .map((text) => ({ text, codes: ["invalid_json", "invalid_body"] }))

/** A merge patch as text, and its changes (`undefined` if a member is wrong). If a member occurs twice, the last one counts. */
export const patch: fc.Arbitrary<{ readonly text: string; readonly patch: Correction | undefined }> = fc
  .record(
    {
      name: weighted([5, goodName], [1, badName.map((wrong) => ({ wrong }))]),
      categoryId: weighted([5, int64], [1, badCategory.map((wrong) => ({ wrong }))]),
      status: weighted(
        [5, fc.oneof(status, fc.constant(null))],
        [1, badStatus.filter((text) => text !== "null").map((wrong) => ({ wrong }))],
      ),
    },
    { requiredKeys: [] },
  )
  .chain((drawn) =>
    fc
      .tuple(
        jsonString(typeof drawn.name === "string" ? drawn.name : ""),
        jsonInteger(typeof drawn.categoryId === "bigint" ? drawn.categoryId : 0n),
        fc.array(unknownMembers, { maxLength: 2 }),
        perhaps(fc.constantFrom('"name":7', '"categoryId":null', '"status":"lost"', '"status":"sold"')),
      )
      .chain(([name, categoryId, others, overruled]) => {
        const spelled = { name, categoryId, status: JSON.stringify(drawn.status) }
        const given = members.flatMap((member) => {
          const value = drawn[member]
          if (value === undefined) return []
          return [[member, typeof value === "object" && value !== null ? value.wrong : spelled[member]] as const]
        })
        const values = Object.values(drawn)
        const isWrong =
          values.some((value) => typeof value === "object" && value !== null) ||
          others.some(([other]) => isMisspelled(other, given))
        // Safe: only the wrong values are objects.
        const expected = isWrong ? undefined : (drawn as Correction)
        return jsonObject([...given, ...others.filter(([other]) => !known.has(other))]).map((text) => {
          const [, member = ""] = /^"(\w+)"/.exec(overruled ?? "") ?? []
          const isOverruled = overruled !== undefined && given.some(([one]) => one === member)
          return { text: isOverruled ? text.replace("{", `{${overruled},`) : text, patch: expected }
        })
      }),
  )

export const body: fc.Arbitrary<Body> = weighted(
  [6, goodBody],
  [4, badBody],
  [1, duplicateBody],
  [1, notAnObject],
  [2, brokenJson],
)
