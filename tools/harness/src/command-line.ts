import { type ParseArgsOptionsConfig, parseArgs } from "node:util"

export class WrongUsage extends Error {}

/** An option's integer value, or its default. */
export const wholeNumber = (option: string, text: string | undefined, fallback: number): number => {
  const value = text === undefined ? fallback : Number(text)
  if (Number.isSafeInteger(value) && value >= 0 && text !== "") return value
  throw new WrongUsage(`--${option}: expected a whole number, got ${text}`)
}

export const text = { type: "string" } as const
export const texts = { type: "string", multiple: true } as const
export const flag = { type: "boolean" } as const

export type Given<Options extends ParseArgsOptionsConfig> = ReturnType<typeof parseArgs<{ options: Options }>>["values"]

export const say = (line: string): void => void process.stdout.write(`${line}\n`)

/** Runs a tool and sets the exit code: what `main` returns, 0 for `--help`, or 2 and the usage for a wrong command line. */
export const runTool = async <const Options extends ParseArgsOptionsConfig>(
  usage: string,
  options: Options,
  main: (given: Given<Options>) => Promise<number>,
  args: ReadonlyArray<string> = process.argv.slice(2),
): Promise<void> => {
  try {
    if (args.includes("--help")) process.stdout.write(usage)
    else process.exitCode = await main(parseArgs({ args: [...args], options }).values)
  } catch (cause) {
    // For an unknown option, parseArgs throws a TypeError whose code begins with ERR_PARSE_ARGS.
    const isWrongUsage =
      cause instanceof WrongUsage ||
      (cause instanceof TypeError && "code" in cause && String(cause.code).startsWith("ERR_PARSE_ARGS"))
    if (!isWrongUsage) throw cause
    process.stderr.write(`${cause.message}\n\n${usage}`)
    process.exitCode = 2
  }
}
