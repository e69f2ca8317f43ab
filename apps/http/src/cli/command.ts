/** A row of the command table: the command's arguments, its help, and whether it may create a store. */
import { int64FromText } from "@petstore/core"
import { InvalidArgumentError } from "commander"
import { Option } from "effect"
import type { OutputOptions } from "./output.js"
import { type OpenStore, openStore, type StoreUse } from "./store.js"

export interface OptionDefinition<A> {
  /** As shown in the help: `--replace`, or `--format <format>`. */
  readonly flags: string
  readonly does: string
  readonly isRequired?: true
  readonly choices?: ReadonlyArray<string>
  /** Throws `InvalidArgumentError` if the text is invalid. `before` is the value of the same option earlier in the command. */
  decode?(text: string, before: A | undefined): A
}

export const flag = (flags: string, does: string): OptionDefinition<true> => ({ flags, does })

/** An option with a value: any text, or one of the choices. */
export const text = <A extends string = string>(
  flags: string,
  does: string,
  choices?: ReadonlyArray<A>,
): OptionDefinition<A> => ({ flags, does, ...(choices && { choices }) })

export const decodeIdentifier = (given: string): bigint => {
  const id = int64FromText(given)
  if (Option.isSome(id)) return id.value
  throw new InvalidArgumentError("Expected a 64-bit integer.")
}

/** Options, keyed by commander's name for each: `expiresIn` for `--expires-in`. */
type Options = Readonly<Record<string, OptionDefinition<unknown>>>

type ValueOf<Defined> = Defined extends OptionDefinition<infer A> ? A : never

type RequiredIn<Defined extends Options> = {
  [Name in keyof Defined]: Defined[Name] extends { readonly isRequired: true } ? Name : never
}[keyof Defined]

type OptionValues<Defined extends Options> = OutputOptions & {
  readonly [Name in Exclude<keyof Defined, RequiredIn<Defined>>]?: ValueOf<Defined[Name]>
} & { readonly [Name in RequiredIn<Defined>]: ValueOf<Defined[Name]> }

/** `"file"` is one argument, `"file?"` is one or none, and `"id..."` is one or more. */
type ArgumentValues<Names extends ReadonlyArray<string>> = {
  readonly [Name in Names[number] as Name extends `${infer Bare}${"..." | "?"}` ? Bare : Name]: Name extends `${string}...`
    ? readonly [string, ...ReadonlyArray<string>]
    : Name extends `${string}?`
      ? string | undefined
      : string
}

export interface Command {
  /** One word, or a group and a word. */
  readonly name: string
  readonly args: ReadonlyArray<string>
  readonly does: string
  readonly details: string
  readonly options: Options
  readonly store: StoreUse
  readonly hasJson: boolean
  readonly run: (args: Readonly<Record<string, unknown>>, options: Readonly<Record<string, unknown>>) => Promise<void>
}

interface CommandDefinition<Names extends ReadonlyArray<string>, Defined extends Options>
  extends Pick<Command, "name" | "does">,
    Partial<Pick<Command, "details" | "store" | "hasJson">> {
  readonly args?: Names
  readonly options?: Defined
  readonly run: (call: {
    readonly open: OpenStore
    readonly args: ArgumentValues<Names>
    readonly options: OptionValues<Defined>
  }) => Promise<void>
}

/** Completes a row. A command opens an existing store unless its row says that it makes one. */
export const command = <const Names extends ReadonlyArray<string> = [], Defined extends Options = Record<never, never>>({
  run,
  store = "opens",
  ...row
}: CommandDefinition<Names, Defined>): Command => ({
  args: [],
  details: "",
  options: {},
  hasJson: true,
  ...row,
  store,
  run: (args, options) =>
    // Safe: the parser was built from this row, so it returns exactly these arguments and options.
    run({ open: openStore(store), args: args as ArgumentValues<Names>, options: options as OptionValues<Defined> }),
})
