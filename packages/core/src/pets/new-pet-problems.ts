/** The rules of a new pet without Effect, for a page that checks many pets before it sends them. A test compares them with the schema's. */
import type { FieldProblem } from "../json/field-problem.js"
import { int64Expectation, isInt64 } from "../json/int64.js"
import { showJson } from "../json/json.js"
import { isStorableText, storableTextExpectation } from "../json/text.js"
import { isPetStatus, petNameMaximum, petStatusExpectation } from "./pet.js"

const isRequired = "is required"

/** What is wrong with the members of a new pet, in the words of `decodeNewPet`. */
export const newPetProblems = (pet: {
  readonly name?: unknown
  readonly categoryId?: unknown
  readonly status?: unknown
}): ReadonlyArray<FieldProblem> => {
  const { name, categoryId, status } = pet
  const isName = typeof name === "string" && isStorableText(name, petNameMaximum)
  const expectations = [
    ["name", name, isName, name === undefined ? isRequired : storableTextExpectation(petNameMaximum)],
    ["categoryId", categoryId, isInt64(categoryId), categoryId === undefined ? isRequired : int64Expectation],
    ["status", status, status === undefined || isPetStatus(status), petStatusExpectation],
  ] as const
  return expectations
    .filter(([, , isValid]) => !isValid)
    .map(([field, value, , expected]) => ({ field, expected, received: showJson(value) }))
}
