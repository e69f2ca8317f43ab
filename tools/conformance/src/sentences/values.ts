/** Sentences 4.2.26 to 4.2.42: the values of a new pet. */
import assert from "node:assert/strict"
import { expectError, expectStatus } from "@petstore/harness/expectations"
import type { Http } from "@petstore/harness/http"
import { createAndRead, createFrom, readPet, uniqueName } from "../catalogue.ts"
import { each, eachOf, type Sentence, writes } from "../sentence.ts"
import { words, wrongCategories, wrongNames, wrongPetStatuses } from "../wrong-values.ts"

/** Checks that the service refuses each value (JSON text) for this member, in a message that names the member. */
const refuses = (http: Http, member: "name" | "categoryId" | "status", values: ReadonlyArray<string>): Promise<void> =>
  eachOf(values, async (value) => {
    const others = {
      name: `"name":"conformance"`,
      categoryId: `"categoryId":1`,
      status: `"status":"sold"`,
      [member]: `"${member}":${value}`,
    }
    const message = expectError(await http.post(`{${Object.values(others).join(",")}}`), "invalid_body")
    assert.match(message, new RegExp(`\\b${member}\\b`), `expected a message that names ${member}, got: ${message}`)
  })

const keepsNames = (http: Http, names: ReadonlyArray<string>): Promise<void> =>
  eachOf(names, (name) => createAndRead(http, { name }))

/** Checks that the service reads each number in a text as the given integer. */
const takesCategories = (http: Http, numbers: ReadonlyArray<readonly [categoryId: bigint, spellings: string]>): Promise<void> => {
  const cases = numbers.flatMap(([categoryId, spellings]) => words(spellings).map((spelled) => [spelled, categoryId] as const))
  return each(cases, async (categoryId, spelled) => {
    const name = uniqueName()
    const body = `{"name":${JSON.stringify(name)},"categoryId":${spelled}}`
    const pet = await createFrom(http, body, { name, categoryId })
    assert.deepEqual(await readPet(http, pet.id), pet)
  })
}

const maximum = 9_223_372_036_854_775_807n
const minimum = -9_223_372_036_854_775_808n

export const values: ReadonlyArray<Sentence> = [
  writes("4.2.26", "rejects a name that is not a string", ({ http }) => refuses(http, "name", wrongNames.notText)),
  writes("4.2.27", "rejects a blank name", ({ http }) => refuses(http, "name", wrongNames.blank)),
  writes("4.2.28", "accepts a name of 1024 code points", ({ http }) =>
    keepsNames(http, ["a".repeat(1024), "é".repeat(1024), "a"]),
  ),
  writes("4.2.29", "rejects a name of 1025 code points", ({ http }) => refuses(http, "name", wrongNames.tooLong)),
  writes("4.2.30", "counts an astral character as one code point", async ({ http }) => {
    await keepsNames(http, ["🐕".repeat(1024), "👩‍👩‍👧".repeat(204)])
    const escaped = `{"name":"${"\\ud83d\\udc15".repeat(1024)}","categoryId":1}`
    await createFrom(http, escaped, { name: "🐕".repeat(1024), categoryId: 1n })
  }),
  writes("4.2.31", "rejects U+0000 in a name", ({ http }) => refuses(http, "name", wrongNames.withNul)),
  writes("4.2.32", "rejects a lone surrogate in a name", ({ http }) => refuses(http, "name", wrongNames.withLoneSurrogate)),
  writes("4.2.33", "preserves white space at the start and end of a name", ({ http }) =>
    keepsNames(http, [" Bello", "Bello ", "\t Bello \n", "\u00a0Bello\u3000", "\ufeffBello"]),
  ),
  writes("4.2.34", "preserves every character of a name exactly", ({ http }) =>
    keepsNames(http, [
      ...words("\u00e9 e\u0301 ﬁ Å \u212b ß İ a\u200bb a\u202eb \ufffd \uffff \u{10ffff} Ω≈ç√∫ שלום 日本語"),
      ...words("<script>alert(1)</script> \\u0000 null __proto__"),
      "a\u2028b",
      "\u0001\u001f\u007f\u0085",
      "𝒳 🐕‍🦺 🏳️‍🌈",
      `'); DROP TABLE pets;--`,
      "#{7*7} {{7*7}} %s %n",
      `"\\/\b\f\n\r\t`,
    ]),
  ),
  writes("4.2.35", "rejects a categoryId that is not a number", ({ http }) =>
    refuses(http, "categoryId", wrongCategories.notNumbers),
  ),
  writes("4.2.36", "accepts every int64 as categoryId", ({ http }) => {
    const limits = [maximum, maximum - 1n, minimum, minimum + 1n, 0n, 1n, -1n]
    const others = [2n ** 53n, 2n ** 53n + 1n, -(2n ** 53n) - 1n, 2n ** 31n, 2n ** 32n + 1n]
    return takesCategories(
      http,
      [...limits, ...others].map((id) => [id, String(id)] as const),
    )
  }),
  writes("4.2.37", "rejects a categoryId beyond the limits of int64", async ({ http }) => {
    for (const id of [maximum + 1n, minimum - 1n, 2n ** 64n, 2n ** 64n + 1n, -(2n ** 64n)]) {
      expectStatus(await http.post(`{"name":"conformance","categoryId":${id}}`), 400)
    }
    await refuses(http, "categoryId", wrongCategories.beyondInt64)
  }),
  writes("4.2.38", "accepts any JSON spelling of an integer", ({ http }) =>
    takesCategories(http, [
      [1n, `1.0 1.000 100e-2 1.${"0".repeat(2000)}`],
      [100n, "1e2 1E+2"],
      [5n, "0.5e1"],
      [-15n, "-1.5e1"],
      [0n, "-0 -0.0 0e0 0e99999999999"],
    ]),
  ),
  writes("4.2.39", "preserves integers above 2^53 exactly in every spelling", ({ http }) =>
    takesCategories(http, [
      [9_007_199_254_740_993n, "9007199254740993 9007199254740993.0 9.007199254740993e15 90071992547409930e-1"],
      [-9_007_199_254_740_993n, "-9007199254740993.0"],
      [maximum, "9.223372036854775807e18 922337203685477580700e-2 9223372036854775807.0"],
      [minimum, "-9.223372036854775808E+18"],
    ]),
  ),
  writes("4.2.40", "rejects a categoryId with a fraction", ({ http }) =>
    refuses(http, "categoryId", wrongCategories.withFraction),
  ),
  writes("4.2.41", "rejects a categoryId with a huge exponent", ({ http }) =>
    refuses(http, "categoryId", wrongCategories.hugeExponent),
  ),
  writes("4.2.42", "rejects a status that is not one of the three", ({ http }) => refuses(http, "status", wrongPetStatuses)),
]
