/** One invalid field in an input. */
export interface FieldProblem {
  readonly field: string
  readonly expected: string
  readonly received: string
}

const sentence = ({ field, expected, received }: FieldProblem): string => `${field}: ${expected}, got ${received}`

/** What an error's message says of invalid fields. */
export const sentenceOf = (problems: ReadonlyArray<FieldProblem>): string => `${problems.map(sentence).join("; ")}.`

/** A decoded value, or what is wrong with its source. */
export type Decoded<A> =
  | { readonly value: A; readonly problems?: undefined }
  | { readonly value?: undefined; readonly problems: ReadonlyArray<FieldProblem> }
