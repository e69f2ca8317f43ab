/** Input that no rule of the domain accepts, and why: facts, in tagged values. */
import { Data } from "effect"

/** A parameter is wrong. `received` is shortened and quoted, ready to be shown. */
export class InvalidParameter extends Data.TaggedError("InvalidParameter")<{
  readonly parameter: string
  readonly expected: string
  readonly received: string
}> {
  override get message(): string {
    return `${sentence({ field: this.parameter, expected: this.expected, received: this.received })}.`
  }
}

/** The text is not JSON. */
export class InvalidJson extends Data.TaggedError("InvalidJson")<{ readonly reason: string }> {
  override get message(): string {
    return `The body is not valid JSON: ${this.reason}.`
  }
}

/** One wrong field of what a caller gave. */
export interface FieldProblem {
  readonly field: string
  readonly expected: string
  readonly received: string
}

/** The JSON is not what the operation takes. */
export class InvalidBody extends Data.TaggedError("InvalidBody")<{ readonly problems: ReadonlyArray<FieldProblem> }> {
  override get message(): string {
    return `${this.problems.map(sentence).join("; ")}.`
  }
}

const sentence = ({ field, expected, received }: FieldProblem): string => `${field}: ${expected}, got ${received}`
