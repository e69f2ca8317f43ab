import * as ArrayFormatter from "@effect/schema/ArrayFormatter"
import * as ParseResult from "@effect/schema/ParseResult"
import type * as Schema from "@effect/schema/Schema"
import * as Either from "effect/Either"
import type { Mark } from "./checked.js"
import { NonInt64Number } from "./exact-json.js"
import type { FieldProblem } from "./field-problem.js"
import { InvalidBody } from "./invalid-input.js"
import { showJson } from "./json.js"

export const isObject = (json: unknown): json is Readonly<Record<string, unknown>> =>
  typeof json === "object" && json !== null && !Array.isArray(json) && !(json instanceof NonInt64Number)

/** Makes a decoder for JSON objects with the members of `schema`. Members that the schema does not name are ignored. */
export const decodeBody = <A, I>(schema: Schema.Schema<A, I>): ((json: unknown) => Either.Either<A, InvalidBody>) => {
  const decode = ParseResult.decodeUnknownEither(schema, { errors: "all" })
  return (json) =>
    isObject(json)
      ? Either.mapLeft(decode(json), (error) => new InvalidBody({ problems: problemsOf(error, json) }))
      : Either.left(
          new InvalidBody({ problems: [{ field: "body", expected: "expected a JSON object", received: showJson(json) }] }),
        )
}

/** Removes differences in naming style: `category_id`, `CategoryID` and `categoryId` become the same name. */
const folded = (name: string): string => name.replaceAll(/[-_ ]/g, "").toLowerCase()

/** Finds a member that was probably meant to be the missing field, because its name differs only in style. */
const misspelled = (field: string, json: Readonly<Record<string, unknown>>): string | undefined => {
  const sent = Object.keys(json).find((name) => folded(name) === folded(field))
  return sent === undefined ? undefined : `${showJson(sent)} in its place`
}

/** Numbers decoded from text are exact, but a program may have rounded its own numbers. */
const showMember = (value: unknown): string =>
  Number.isInteger(value) && !Number.isSafeInteger(value)
    ? `${value}, a number that may be rounded: pass a bigint`
    : showJson(value)

const problemsOf = (error: ParseResult.ParseIssue, json: Readonly<Record<string, unknown>>): ReadonlyArray<FieldProblem> =>
  ArrayFormatter.formatIssueSync(error).map(({ _tag, path, message }) => {
    const field = String(path[0])
    return _tag === "Missing"
      ? { field, expected: "is required", received: misspelled(field, json) ?? "nothing" }
      : { field, expected: message, received: showMember(json[field]) }
  })

/** Checks a program's value by a decoder's rules, unless it has the decoder's mark. A member that is `undefined` counts as absent. */
export const checkMade = <Valid extends object>(
  made: object,
  decode: (json: unknown) => Either.Either<Valid, InvalidBody>,
  mark?: Mark,
): Either.Either<Valid, InvalidBody> => {
  if (!isObject(made)) return decode(made)
  // Safe: only the decoder of this type sets the mark.
  if (mark?.isOn(made) === true) return Either.right(made as Valid)
  return decode(Object.fromEntries(Object.entries(made).filter(([, value]) => value !== undefined)))
}
