/** Builds the command-line parser from the command table. On wrong usage, the parser prints one line and exits with code 2. */
import { Command as Parser, Option as ParserOption } from "commander"
import { version } from "../package-files.js"
import { apiCommands, apiGroups } from "./api.js"
import type { Command, OptionDefinition } from "./command.js"
import { commands, groups } from "./commands.js"

/**
 * Makes a parser report wrong usage in one line and exit with code 2. After a request for help, it exits with code 0.
 *
 * @param words  the words that select the parser's command, for a hint: `keys create`
 */
const reporting = (parser: Parser, words: string): Parser =>
  parser
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
    .configureOutput({
      outputError: (said, write) => {
        const problem = said
          .replace(/^error: /, "")
          .trim()
          .replaceAll("\n", " ")
        const sentence = /[.)]$/.test(problem) ? problem : `${problem}.`
        write(`petstore: ${sentence} See: ${`petstore help ${words}`.trimEnd()}\n`)
      },
    })

const parserOption = ({ flags, does, isRequired, choices, decode }: OptionDefinition<unknown>): ParserOption => {
  const option = new ParserOption(flags, does).makeOptionMandatory(isRequired === true)
  if (choices !== undefined) option.choices(choices)
  if (decode !== undefined) option.argParser(decode)
  return option
}

const json: OptionDefinition<true> = { flags: "--json", does: "print one JSON value" }

/** The parser for one command, named after the command's last word. */
const parserOf = ({ name, args, does, details, options, hasJson, run }: Command): Parser => {
  const parser = reporting(new Parser(name.split(" ").at(-1)), name).summary(does)
  // The parser wraps lines at the terminal's width, so the table's own line breaks are removed, except before indented lines.
  const paragraphs = details.replace(/(?<!\n)\n(?![\n ])/g, " ")
  parser.description(paragraphs === "" ? does : `${does}\n\n${paragraphs}`)
  for (const argument of args) parser.argument(argument.endsWith("?") ? `[${argument.slice(0, -1)}]` : `<${argument}>`)
  for (const option of [...Object.values(options), ...(hasJson ? [json] : [])]) parser.addOption(parserOption(option))
  return parser.action((...given: ReadonlyArray<unknown>) => {
    const names = args.map((argument) => argument.replace(/\.\.\.|\?$/, ""))
    return run(Object.fromEntries(names.map((argument, index) => [argument, given[index]])), parser.opts())
  })
}

const petstore = reporting(new Parser("petstore"), "")
  .description("The pet store inventory service. Settings are environment variables: see docs/reference/settings.md.")
  .version(`petstore ${version}, Node.js ${process.version}`, "--version", "print the version")

const rows = [...commands, ...apiCommands]

for (const [group, does] of Object.entries({ ...groups, ...apiGroups })) {
  const parser = reporting(petstore.command(group), group).description(does)
  for (const member of rows.filter(({ name }) => name.startsWith(`${group} `))) parser.addCommand(parserOf(member))
}
for (const single of rows.filter(({ name }) => !name.includes(" "))) {
  petstore.addCommand(parserOf(single))
}

/** Rewrites `help keys create` as `keys create --help`, because commander's `help` accepts only one word. */
const withHelp = (words: ReadonlyArray<string>): ReadonlyArray<string> =>
  words[0] === "help" && words.length > 2 ? [...words.slice(1), "--help"] : words

export const runCommandLine = (): Promise<unknown> => petstore.parseAsync(withHelp(process.argv.slice(2)), { from: "user" })
