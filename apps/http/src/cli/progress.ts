/** The progress of a long command, on standard error: a bar on a terminal, or occasional plain lines in a pipe. */
import { Effect, Option, type Scope } from "effect"

export interface Progress {
  /** Shows how many rows are done and, if known, which fraction of all rows that is. */
  readonly show: (rows: number, part: Option.Option<number>) => void
  /** Shows the name of a step that has no row count. Prints nothing in a pipe. */
  readonly step: (name: string) => void
  /** Prints a permanent line. */
  readonly say: (line: string) => void
  /** Removes the bar. */
  readonly end: () => void
}

const barWidth = 30

/** The shortest time between two updates of the bar, in ms. */
const barMillis = 100

/** The number of rows between two plain lines. */
const plainStep = 100_000

const clearLine = "\r\u001B[K"

/** Shows the progress of an activity such as `import` on rows such as `animals`. */
export const progressOf = (activity: string, what: string): Progress =>
  process.stderr.isTTY ? barOf(activity, what) : plainLinesOf(activity, what)

/** Like {@link progressOf}, and removes the bar when the scope closes. */
export const scopedProgress = (activity: string, what: string): Effect.Effect<Progress, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => progressOf(activity, what)),
    ({ end }) => Effect.sync(end),
  )

export const withSteps = <A, E, R>(activity: string, work: (onStep: Progress["step"]) => Effect.Effect<A, E, R>) =>
  Effect.scoped(Effect.flatMap(scopedProgress(activity, ""), ({ step }) => work(step)))

const percentOf = (part: number): string => `${Math.floor(part * 100)} %`

const barOf = (activity: string, what: string): Progress => {
  let shownAtMillis = Number.NEGATIVE_INFINITY
  return {
    show: (rows, part) => {
      const now = performance.now()
      if (now - shownAtMillis < barMillis) return
      shownAtMillis = now
      const bar = Option.match(part, {
        onNone: () => "",
        onSome: (known) => `[${"#".repeat(Math.floor(known * barWidth)).padEnd(barWidth)}] ${percentOf(known)}  `,
      })
      process.stderr.write(`${clearLine}${activity}  ${bar}${rows} ${what}`)
    },
    step: (name) => process.stderr.write(`${clearLine}${activity}  ${name}`),
    say: (line) => process.stderr.write(`${clearLine}${line}\n`),
    end: () => process.stderr.write(clearLine),
  }
}

const plainLinesOf = (activity: string, what: string): Progress => {
  let next = plainStep
  return {
    show: (rows, part) => {
      if (rows < next) return
      next = rows - (rows % plainStep) + plainStep
      const known = Option.match(part, { onNone: () => "", onSome: (value) => `, ${percentOf(value)}` })
      process.stderr.write(`${activity}: ${rows} ${what}${known}\n`)
    },
    step: () => {},
    say: (line) => process.stderr.write(`${line}\n`),
    end: () => {},
  }
}
