/** The progress of a long command, on standard error: a bar on a terminal, or occasional plain lines in a pipe. */
import { Effect, type Scope } from "effect"

export type Progress = ReturnType<typeof progressOf>

const barWidth = 30

/** The shortest time between two updates of the bar, in ms. */
const barMillis = 100

/** The number of rows between two plain lines. */
const plainStep = 100_000

const clearLine = "\r\u001B[K"

/** Shows the progress of an activity such as `import` on rows such as `animals`. */
export const progressOf = (activity: string, what: string) => {
  const { isTTY } = process.stderr
  const write = (text: string): void => void process.stderr.write(isTTY ? `${clearLine}${text}` : text)
  let shownAtMillis = Number.NEGATIVE_INFINITY
  let next = plainStep

  const showBar = (rows: number, part: number | undefined, note = ""): void => {
    const now = performance.now()
    if (now - shownAtMillis < barMillis) return
    shownAtMillis = now
    const marks = "#".repeat(Math.floor((part ?? 0) * barWidth)).padEnd(barWidth)
    write(`${activity}  ${part === undefined ? "" : `[${marks}] ${percentOf(part)}  `}${rows} ${what}${note}`)
  }

  const showLine = (rows: number, part: number | undefined, note = ""): void => {
    if (rows < next) return
    next = rows - (rows % plainStep) + plainStep
    write(`${activity}: ${rows} ${what}${part === undefined ? "" : `, ${percentOf(part)}`}${note}\n`)
  }

  return {
    /** Shows how many rows are done and, if known, which fraction of all rows that is; a note follows as it is. */
    show: isTTY ? showBar : showLine,
    /** Shows the name of a step that has no row count. Prints nothing in a pipe. */
    step: (name: string): void => {
      if (isTTY) write(`${activity}  ${name}`)
    },
    /** Prints a permanent line. */
    say: (line: string): void => write(`${line}\n`),
    /** Removes the bar. */
    end: (): void => {
      if (isTTY) write("")
    },
  }
}

const percentOf = (part: number): string => `${Math.floor(part * 100)} %`

/** Like {@link progressOf}, and removes the bar when the scope closes. */
export const scopedProgress = (activity: string, what: string): Effect.Effect<Progress, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => progressOf(activity, what)),
    ({ end }) => Effect.sync(end),
  )

export const withSteps = <A, E, R>(activity: string, work: (onStep: Progress["step"]) => Effect.Effect<A, E, R>) =>
  Effect.scoped(Effect.flatMap(scopedProgress(activity, ""), ({ step }) => work(step)))
