/** What a command says: one JSON value with `--json`, else a sentence or lines for a person. */

export interface OutputOptions {
  readonly json?: true
}

/** Prints the result of a command to standard output. */
export const print = ({ json }: OutputOptions, value: unknown, text: string): void => {
  process.stdout.write(`${json === true ? JSON.stringify(value) : text}\n`)
}

/** A number and what it counts: `1 pet`, `2 pets`. */
export const counted = (count: number | bigint, one: string): string => `${count} ${one}${BigInt(count) === 1n ? "" : "s"}`

/** Rows of text under a head, in columns. */
export const columns = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const all = [head, ...rows]
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n")
}
