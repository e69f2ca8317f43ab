/** What the command lines of the tools have in common: numbers, wrong usage, exit codes. */

/** The command line is not as the usage says. */
export class WrongUsage extends Error {}

/** The whole number that an option was given, or what it is without one. */
export const wholeNumber = (option: string, text: string | undefined, fallback: number): number => {
  const value = text === undefined ? fallback : Number(text)
  if (Number.isSafeInteger(value) && value >= 0 && text !== "") return value
  throw new WrongUsage(`--${option}: expected a whole number, got ${text}`)
}

/** Runs a tool with the arguments of this process and sets its exit code: what `main` gives, or 2 beside the usage if the usage was wrong. */
export const runTool = async (usage: string, main: (args: ReadonlyArray<string>) => Promise<number>): Promise<void> => {
  try {
    process.exitCode = await main(process.argv.slice(2))
  } catch (cause) {
    // parseArgs throws a TypeError with a code of this family for an option that it does not know.
    const isWrongUsage =
      cause instanceof WrongUsage ||
      (cause instanceof TypeError && "code" in cause && String(cause.code).startsWith("ERR_PARSE_ARGS"))
    if (!isWrongUsage) throw cause
    process.stderr.write(`${cause.message}\n\n${usage}`)
    process.exitCode = 2
  }
}
