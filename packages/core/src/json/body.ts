import * as ArrayFormatter from "@effect/schema/ArrayFormatter"
import * as AST from "@effect/schema/AST"
import * as ParseResult from "@effect/schema/ParseResult"
import type * as Schema from "@effect/schema/Schema"
import * as Either from "effect/Either"
import type { FieldProblem } from "./field-problem.js"
import { InvalidBody } from "./invalid-input.js"
import { showJson } from "./json.js"
import { nearMisses, otherSpelling } from "./near-miss.js"
import { isObject, notAnObject, showMember } from "./object.js"

/**
 * Makes a decoder for JSON objects with the members of `schema`. Members that the schema does not name are ignored, unless one is
 * only another spelling of an absent member.
 */
export const decodeBody = <A, I>(schema: Schema.Schema<A, I>): ((json: unknown) => Either.Either<A, InvalidBody>) => {
  const decode = ParseResult.decodeUnknownEither(schema, { errors: "all" })
  const members = AST.getPropertySignatures(schema.ast).map(({ name }) => String(name))
  return (json) => {
    if (!isObject(json)) return Either.left(new InvalidBody({ problems: [notAnObject(json)] }))
    const misspelled = new Map(nearMisses(Object.keys(json), members))
    const decoded = Either.mapLeft(decode(json), (error) => problemsOf(error, json, misspelled))
    const problems = Either.match(decoded, { onLeft: (found) => found, onRight: () => [] })
    const others = [...misspelled].filter(([name]) => !problems.some(({ field }) => field === name))
    const optional = others.map(([field, sent]) => ({ field, expected: otherSpelling, received: showJson(sent) }))
    if (optional.length > 0) return Either.left(new InvalidBody({ problems: [...problems, ...optional] }))
    return Either.mapLeft(decoded, (found) => new InvalidBody({ problems: found }))
  }
}

const problemsOf = (
  error: ParseResult.ParseIssue,
  json: Readonly<Record<string, unknown>>,
  misspelled: ReadonlyMap<string, string>,
): ReadonlyArray<FieldProblem> =>
  ArrayFormatter.formatIssueSync(error).map(({ _tag, path, message }) => {
    const field = String(path[0])
    const sent = misspelled.get(field)
    return _tag === "Missing"
      ? { field, expected: "is required", received: sent === undefined ? "nothing" : `${showJson(sent)} in its place` }
      : { field, expected: message, received: showMember(json[field]) }
  })
