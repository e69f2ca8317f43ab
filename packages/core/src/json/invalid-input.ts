import * as Either from "effect/Either"
import { failure } from "../failure.js"
import { type FieldProblem, sentenceOf } from "./field-problem.js"

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
    return `The body is not valid JSON: ${this.reason}.`
  }
}

/** The JSON does not match the operation's schema. */
export class InvalidBody extends failure("InvalidBody")<{ readonly problems: ReadonlyArray<FieldProblem> }> {
  override get message(): string {
    return sentenceOf(this.problems)
  }
}
