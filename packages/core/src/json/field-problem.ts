/** One wrong field of an input. */
export interface FieldProblem {
  readonly field: string
  readonly expected: string
  readonly received: string
}
