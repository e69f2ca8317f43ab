import { Either } from "effect"
import { InvalidBody, type InvalidJson, type InvalidParameter } from "../src/json/invalid-input.js"

/** The problems with a body: `field: expected, got received` for each of them, or `not JSON: reason`. */
export const bodyProblems = (decoded: Either.Either<unknown, InvalidBody | InvalidJson>): ReadonlyArray<string> =>
  Either.match(decoded, {
    onLeft: (failure) =>
      failure instanceof InvalidBody
        ? failure.problems.map(({ field, expected, received }) => `${field}: ${expected}, got ${received}`)
        : [`not JSON: ${failure.reason}`],
    onRight: () => [],
  })

/** The problem with a query: `parameter: expected, got received`, or `undefined`. */
export const queryProblem = (decoded: Either.Either<unknown, InvalidParameter>): string | undefined =>
  Either.match(decoded, {
    onLeft: ({ parameter, expected, received }) => `${parameter}: ${expected}, got ${received}`,
    onRight: () => undefined,
  })

/** Returns the values of a parameter in a query. The query must not contain escaped characters. */
export const valuesIn =
  (query: string) =>
  (name: string): ReadonlyArray<string> =>
    query
      .split("&")
      .filter((pair) => pair.startsWith(`${name}=`))
      .map((pair) => pair.slice(name.length + 1))
