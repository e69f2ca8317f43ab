import { Either } from "effect"
import {
  type Arbitrary,
  array,
  bigInt,
  assert as check,
  constantFrom,
  double,
  integer,
  jsonValue,
  oneof,
  property,
  record,
  string,
} from "fast-check"
import { expect, it } from "vitest"
import { newCategoryDecoder } from "../../src/categories/category-decoder.js"
import { newCategorySchema } from "../../src/categories/new-category.js"
import { decodeBody } from "../../src/json/body.js"
import { NonInt64Number } from "../../src/json/exact-json.js"
import { maxInt64, minInt64 } from "../../src/json/int64.js"
import type { InvalidBody } from "../../src/json/invalid-input.js"
import { newOrderDecoder, orderChangeDecoder, orderDecoder } from "../../src/orders/order-decoders.js"
import { newOrderSchema, orderChangeSchema, orderSchema } from "../../src/orders/order-schema.js"
import { orderStatuses } from "../../src/orders/order-status.js"
import { petStatuses } from "../../src/pets/pet.js"
import { decodeNewPet, newPetDecoder, petCorrectionDecoder, petDecoder } from "../../src/pets/pet-decoders.js"
import { newPetSchema, petCorrectionSchema, petSchema } from "../../src/pets/pet-schema.js"

/** Decodes with the schema alone. */
const bySchema = decodeBody(newPetSchema)

const name = oneof(
  string({ unit: "grapheme" }),
  string({ unit: "binary", minLength: 1 }),
  array(constantFrom("\uD800", "\uDC00", "a", "\0", " ", "\u2003"), { maxLength: 4 }).map((units) => units.join("")),
  integer({ min: 1020, max: 1028 }).map((length) => "🐈".repeat(length)),
)
const categoryId = oneof(
  integer(),
  bigInt({ min: minInt64 - 2n, max: minInt64 + 2n }),
  bigInt({ min: maxInt64 - 2n, max: maxInt64 + 2n }),
  double(),
  constantFrom<unknown>(-0, 2 ** 53, 2 ** 53 - 1, "1", null, true, new NonInt64Number("1.5"), undefined),
)
const status = oneof(constantFrom(...petStatuses), constantFrom<unknown>("SOLD", "sold ", null, 1, undefined, ["sold"]))
const body = oneof(
  { weight: 20, arbitrary: record({ name, categoryId, status, id: integer() }, { requiredKeys: [] }) },
  {
    weight: 5,
    arbitrary: record({ name, categoryId, status: constantFrom(...petStatuses) }, { requiredKeys: ["name", "categoryId"] }),
  },
  jsonValue(),
  constantFrom<unknown>(undefined, new NonInt64Number("1"), 1n),
)

it("decodeNewPet decodes every value as its schema does, including failures", () => {
  let good = 0
  check(
    property(body, (value) => {
      const decoded = decodeNewPet(value)
      if (Either.isRight(decoded)) good += 1
      expect(decoded).toStrictEqual(bySchema(value))
    }),
    { numRuns: 5_000 },
  )
  // The comparison is only meaningful if enough values were valid.
  expect(good).toBeGreaterThan(500)
})

it("newPetDecoder finds in a row what the schema finds", () => {
  const category = oneof(bigInt({ min: minInt64 - 2n, max: maxInt64 + 2n }), constantFrom("", "Dog", "1.5"))
  const word = constantFrom(...petStatuses, "SOLD", "sold ", "pst_dev_0123456789")
  const row = record({ name, categoryId: category, status: word }, { requiredKeys: [] })
  check(
    property(row, (value) => {
      const decoded = bySchema(value)
      expect(newPetDecoder.fromProgram(value).problems ?? []).toEqual(Either.isLeft(decoded) ? decoded.left.problems : [])
    }),
    { numRuns: 2_000 },
  )
})

const text = oneof(string(), constantFrom<unknown>("", "a\0", "\uD800", null, 7, undefined), name)
const id = oneof(categoryId, { weight: 9, arbitrary: integer() })
const at = oneof(
  { weight: 9, arbitrary: constantFrom<unknown>("2026-01-31T12:00:00.000Z") },
  constantFrom<unknown>("2026-01-31", "2026-02-30T00:00:00.000Z", 0, null, new Date()),
)

/** Each decoder, the schema of the same object, and values to compare them with. */
const others = [
  ["pets", petDecoder, decodeBody(petSchema), record({ id, name, categoryId, status, ID: id }, { requiredKeys: [] })],
  [
    "corrections",
    petCorrectionDecoder,
    decodeBody(petCorrectionSchema),
    record({ name, categoryId, status }, { requiredKeys: [] }),
  ],
  [
    "new orders",
    newOrderDecoder,
    decodeBody(newOrderSchema),
    record({ petId: id, note: text, Note: text }, { requiredKeys: [] }),
  ],
  [
    "changes to orders",
    orderChangeDecoder,
    decodeBody(orderChangeSchema),
    record({ note: text, Note: text }, { requiredKeys: [] }),
  ],
  [
    "orders",
    orderDecoder,
    decodeBody(orderSchema),
    record({ id, petId: id, status: constantFrom(...orderStatuses, "lost", null), createdAt: at, updatedAt: at, note: text }),
  ],
  ["categories", newCategoryDecoder, decodeBody(newCategorySchema), record({ name: text, Name: name }, { requiredKeys: [] })],
] as const

it.each(others)(
  "the decoder of %s agrees with the schema: its value, or the members that are invalid",
  (_, decoder, bySchema, values) => {
    let good = 0
    check(
      property(oneof<Arbitrary<unknown>[]>(values, jsonValue()), (given) => {
        const { value, problems } = decoder.fromJson(given)
        if (value !== undefined) good += 1
        const expected: Either.Either<unknown, InvalidBody> = bySchema(given)
        // The schema has a problem for each alternative of a member.
        const invalid = Either.isLeft(expected) ? new Set(expected.left.problems.map(({ field }) => field)) : []
        expect(value).toStrictEqual(Either.getOrUndefined(expected))
        expect((problems ?? []).map(({ field }) => field)).toStrictEqual([...invalid])
      }),
      { numRuns: 1_000 },
    )
    expect(good).toBeGreaterThan(0)
  },
)
