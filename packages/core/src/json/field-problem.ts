/** One invalid field in an input. */
export interface FieldProblem {
  readonly field: string
  readonly expected: string
  readonly received: string
}
