import { Either } from "effect"
import {
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
import { decodeBody } from "../../src/json/body.js"
import { NonInt64Number } from "../../src/json/exact-json.js"
import { maxInt64, minInt64 } from "../../src/json/int64.js"
import { newPetProblems } from "../../src/pets/new-pet-problems.js"
import { petStatuses } from "../../src/pets/pet.js"
import { decodeNewPet, newPetSchema } from "../../src/pets/pet-schema.js"

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

it("newPetProblems finds in a row what the schema finds", () => {
  const category = oneof(bigInt({ min: minInt64 - 2n, max: maxInt64 + 2n }), constantFrom("", "Dog", "1.5"))
  const word = constantFrom(...petStatuses, "SOLD", "sold ", "pst_dev_0123456789")
  const row = record({ name, categoryId: category, status: word }, { requiredKeys: [] })
  check(
    property(row, (value) => {
      const decoded = bySchema(value)
      expect(newPetProblems(value)).toEqual(Either.isLeft(decoded) ? decoded.left.problems : [])
    }),
    { numRuns: 2_000 },
  )
})
