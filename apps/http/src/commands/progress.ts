/** How far a long command has come, on standard error: a bar on a terminal, a plain line now and then in a pipe. */
import { Option } from "effect"

export interface Progress {
  /** Shows how many animals are done and, if that is known, which part of the whole that is, from 0 to 1. */
  readonly show: (animals: number, part: Option.Option<number>) => void
  /** Says something that stays. */
  readonly say: (line: string) => void
  /** Takes the bar away. */
  readonly end: () => void
}

const barWidth = 30

/** How long a bar stands still at least, in ms: a terminal is slow, and so is the eye. */
const barMillis = 100

/** How many animals lie between two plain lines. */
const plainStep = 100_000

const clearLine = "\r\u001B[K"

/** Progress under the name of what is being done, such as `import`. */
export const progressOf = (activity: string): Progress => (process.stderr.isTTY ? barOf(activity) : plainLinesOf(activity))

const percentOf = (part: number): string => `${Math.floor(part * 100)} %`

const barOf = (activity: string): Progress => {
  let shownAtMillis = Number.NEGATIVE_INFINITY
  return {
    show: (animals, part) => {
      const now = performance.now()
      if (now - shownAtMillis < barMillis) return
      shownAtMillis = now
      const bar = Option.match(part, {
        onNone: () => "",
        onSome: (known) => `[${"#".repeat(Math.floor(known * barWidth)).padEnd(barWidth)}] ${percentOf(known)}  `,
      })
      process.stderr.write(`${clearLine}${activity}  ${bar}${animals} animals`)
    },
    say: (line) => process.stderr.write(`${clearLine}${line}\n`),
    end: () => process.stderr.write(clearLine),
  }
}

const plainLinesOf = (activity: string): Progress => {
  let next = plainStep
  return {
    show: (animals, part) => {
      if (animals < next) return
      next = animals - (animals % plainStep) + plainStep
      const known = Option.match(part, { onNone: () => "", onSome: (value) => `, ${percentOf(value)} of the file` })
      process.stderr.write(`${activity}: ${animals} animals${known}\n`)
    },
    say: (line) => process.stderr.write(`${line}\n`),
    end: () => {},
  }
}
