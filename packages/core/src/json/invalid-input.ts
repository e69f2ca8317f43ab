import * as Either from "effect/Either"
import { failure } from "../failure.js"
import { type Decoded, type FieldProblem, sentenceOf } from "./field-problem.js"
import { notJson } from "./json-fault.js"

/** A parameter is invalid. `received` is already shortened and quoted for display. */
export class InvalidParameter extends failure("InvalidParameter")<{
  readonly parameter: string
  readonly expected: string
  readonly received: string
}> {
  override get message(): string {
    return sentenceOf([{ field: this.parameter, expected: this.expected, received: this.received }])
  }
}

export const refused = (parameter: string, expected: string, received: string): Either.Either<never, InvalidParameter> =>
  Either.left(new InvalidParameter({ parameter, expected, received }))

/** The text is not JSON. */
export class InvalidJson extends failure("InvalidJson")<{ readonly reason: string }> {
  override get message(): string {
    return notJson(this.reason)
  }
}

/** The JSON does not match the operation's schema. */
export class InvalidBody extends failure("InvalidBody")<{ readonly problems: ReadonlyArray<FieldProblem> }> {
  override get message(): string {
    return sentenceOf(this.problems)
  }
}

/** Turns the result of a decoder without Effect into an `Either`. */
export const bodyOf = <A>({ value, problems }: Decoded<A>): Either.Either<A, InvalidBody> =>
  problems === undefined ? Either.right(value) : Either.left(new InvalidBody({ problems }))
