import { mkdtempSync, rmSync } from "node:fs"
import { cpus, tmpdir } from "node:os"
import { join } from "node:path"
import { flag, type Given, text } from "@petstore/harness/command-line"

export const options = {
  store: text,
  quick: flag,
  rounds: text,
  seconds: text,
  catalogue: text,
  only: text,
  peers: text,
  before: text,
  sizes: text,
  animals: text,
  "fsync-millis": text,
} as const

export type Options = Given<typeof options>

const folders: Array<string> = []

const removeFolders = (): void => {
  // Tries again, because a server that is still stopping can create a file meanwhile.
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
}

/** A folder that is removed when this program exits for any reason. */
export const makeFolder = (name: string): string => {
  if (folders.length === 0) process.once("exit", removeFolders)
  const folder = mkdtempSync(join(tmpdir(), `petstore-${name}-`))
  folders.push(folder)
  return folder
}

/**
 * Measures everything once per round, so that compared values are measured seconds apart. The order rotates, so that no server is
 * always the first after a pause. Omits round 0, which warms up caches, just-in-time compilation and the write-ahead log. A
 * measurement of new processes begins with round 1.
 */
export const inRounds = async <A, B>(
  rounds: number,
  all: ReadonlyArray<A>,
  measure: (one: A, round: number) => B | Promise<B>,
  first = 0,
): Promise<ReadonlyMap<A, ReadonlyArray<B>>> => {
  const results = new Map(all.map((one): [A, Array<B>] => [one, []]))
  for (let round = first; round <= rounds; round += 1) {
    const start = round % Math.max(1, all.length)
    for (const one of [...all.slice(start), ...all.slice(0, start)]) {
      const result = await measure(one, round)
      if (round > 0) results.get(one)?.push(result)
    }
  }
  return results
}

export const tell = (line: string): void => void process.stderr.write(`${line}\n`)

export const machineName = `${cpus().length} cores of ${cpus()[0]?.model ?? "an unknown processor"}`

export const conditions = (...known: ReadonlyArray<string>): string =>
  [...known, `Node ${process.version}`, new Date().toISOString().slice(0, 10)].join(", ")

/** A Markdown table: the first column contains text, and the other columns contain numbers. */
export const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string | number>>): string =>
  [head, head.map((_, place) => (place === 0 ? "---" : "--:")), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n")

export const median = (values: ReadonlyArray<number>): number => {
  const sorted = [...values].sort((one, other) => one - other)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2
}
