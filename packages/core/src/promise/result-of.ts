import * as Either from "effect/Either"
import { type codeByTag, type RequestFailure, toErrorObject } from "../contract/request-failure.js"
import type { AdministrationError } from "../errors.js"
import type { FieldProblem } from "../json/field-problem.js"
import { administrationCodes, type Failure, type Result } from "./result.js"

/** Every failure that a call in this package can have. */
export type PlainFailure = RequestFailure | AdministrationError

export type PlainCodeOf<E extends PlainFailure> = (typeof codeByTag & typeof administrationCodes)[E["_tag"]]

export const resultOf = <A, E extends PlainFailure>(either: Either.Either<A, E>): Result<A, PlainCodeOf<E>> =>
  Either.isRight(either) ? { ok: true, value: either.right } : failureOf(either.left)

const failureOf = <E extends PlainFailure>(failure: E): Failure<PlainCodeOf<E>> => ({
  ok: false,
  // Safe: every tag maps to its own code, which the compiler cannot infer from a type parameter.
  error: errorOf(failure) as Failure<PlainCodeOf<E>>["error"],
  problems: problemsOf(failure),
  cause: failure._tag === "StorageUnavailable" ? failure.cause : undefined,
})

const errorOf = (failure: PlainFailure) =>
  isOfAdministration(failure) ? { code: administrationCodes[failure._tag], message: failure.message } : toErrorObject(failure)

const isOfAdministration = (failure: PlainFailure): failure is AdministrationError => failure._tag in administrationCodes

const problemsOf = (failure: PlainFailure): ReadonlyArray<FieldProblem> => {
  if (failure._tag === "InvalidBody") return failure.problems
  if (failure._tag !== "InvalidParameter") return []
  return [{ field: failure.parameter, expected: failure.expected, received: failure.received }]
}
