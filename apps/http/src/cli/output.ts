/** A command's output: one JSON value with `--json`, otherwise text for people. */

export interface OutputOptions {
  readonly json?: true
}

const notPrinted = (thrown: Error): string =>
  `Standard output cannot be written: ${"code" in thrown && thrown.code === "EPIPE" ? "its reader has closed it" : thrown.message}.`

/** Resolves once the text is written, so that output for a slow reader does not pile up. The error's message is a sentence. */
export const writeOut = (text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    process.stdout.write(text, (thrown) => (thrown ? reject(new Error(notPrinted(thrown), { cause: thrown })) : resolve()))
  })

export const print = ({ json }: OutputOptions, value: unknown, text: string): void => {
  writeOut(`${json === true ? JSON.stringify(value) : text}\n`).catch((thrown: Error) => {
    process.exitCode = 1
    process.stderr.write(`petstore: ${thrown.message}\n`)
  })
}

/** A number and what it counts: `1 pet`, `2 pets`. */
export const counted = (count: number | bigint, one: string): string => `${count} ${one}${BigInt(count) === 1n ? "" : "s"}`

export const columns = (header: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const all = [header, ...rows]
  const widths = header.map((_, column) => all.reduce((width, row) => Math.max(width, row[column]?.length ?? 0), 0))
  const padded = all.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)))
  return padded.map((row) => row.join("  ").trimEnd()).join("\n")
}
