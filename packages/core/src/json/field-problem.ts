/** One wrong field of what a caller gave. */
export interface FieldProblem {
  readonly field: string
  readonly expected: string
  readonly received: string
}
