/** From a decoded JSON text to a value of the domain, with every wrong field named. */
import { ArrayFormatter, ParseResult, type Schema } from "@effect/schema"
import { Either } from "effect"
import { NonInt64Number } from "./exact-json.js"
import { type FieldProblem, InvalidBody } from "./invalid-input.js"
import { showJson } from "./json.js"

/** Whether a value of a decoded JSON text is an object. */
export const isObject = (json: unknown): json is Readonly<Record<string, unknown>> =>
  typeof json === "object" && json !== null && !Array.isArray(json) && !(json instanceof NonInt64Number)

/**
 * Makes the decoder of a JSON object whose members are those of `schema`.
 * Members that the schema does not name are ignored.
 */
export const decodeBody = <A, I>(schema: Schema.Schema<A, I>): ((json: unknown) => Either.Either<A, InvalidBody>) => {
  const decode = ParseResult.decodeUnknownEither(schema, { errors: "all" })
  return (json) =>
    isObject(json)
      ? Either.mapLeft(decode(json), (error) => new InvalidBody({ problems: problemsOf(error, json) }))
      : Either.left(
          new InvalidBody({ problems: [{ field: "body", expected: "expected a JSON object", received: showJson(json) }] }),
        )
}

const problemsOf = (error: ParseResult.ParseIssue, json: Readonly<Record<string, unknown>>): ReadonlyArray<FieldProblem> =>
  ArrayFormatter.formatIssueSync(error).map(({ _tag, path, message }) => {
    const field = String(path[0])
    return _tag === "Missing"
      ? { field, expected: "is required", received: "nothing" }
      : { field, expected: message, received: showJson(json[field]) }
  })
