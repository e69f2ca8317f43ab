/**
 * Decoders of JSON objects without Effect and its schemas, which would be 170 kB of a page's bundle. The schemas describe the same
 * objects for the contract and for programs that use `@effect/schema`; tests compare the two.
 */
import { NonInt64Number } from "./exact-json.js"
import type { Decoded, FieldProblem } from "./field-problem.js"
import { int64Expectation, isInt64 } from "./int64.js"
import { showJson } from "./json.js"
import { nearMisses, otherSpelling } from "./near-miss.js"
import { isStorableText, storableTextExpectation } from "./text.js"

/** The rule for a member: a sentence for its expected values, and a decoder that returns `undefined` for every other value. */
export interface Rule<A> {
  readonly expected: string
  readonly decode: (value: unknown) => A | undefined
}

/** The rules for the members of an object, in order. `optional` marks those that may be absent. */
type Rules<A> = {
  readonly [Name in keyof A]-?: Partial<Pick<A, Name>> extends Pick<A, Name>
    ? Rule<Exclude<A[Name], undefined>> & { readonly isOptional: true }
    : Rule<A[Name]>
}

export const optional = <A>(rule: Rule<A>) => ({ ...rule, isOptional: true }) as const

/** The rule for a member that may also be null, which removes a value. */
export const orNull = <A>({ expected, decode }: Rule<A>): Rule<A | null> => ({
  expected: `${expected}, or null`,
  decode: (value) => (value === null ? null : decode(value)),
})

/** The rule for one of several texts. */
export const oneOf = <Text extends string>(texts: ReadonlyArray<Text>): Rule<Text> => ({
  expected: `expected one of ${texts.join(", ")}`,
  decode: (value) => texts.find((text) => text === value),
})

/** The rule for text that every store keeps as given: see `isStorableText`. */
export const storable = (maximum: number): Rule<string> => ({
  expected: storableTextExpectation(maximum),
  decode: (value) => (typeof value === "string" && isStorableText(value, maximum) ? value : undefined),
})

/** The rule for a 64-bit integer. `decodeJson` returns a number only if it is exact. */
export const int64: Rule<bigint> = {
  expected: int64Expectation,
  decode: (value) => {
    if (isInt64(value)) return value
    return typeof value === "number" && Number.isSafeInteger(value) ? BigInt(value) : undefined
  },
}

export const isObject = (json: unknown): json is Readonly<Record<string, unknown>> =>
  typeof json === "object" && json !== null && !Array.isArray(json) && !(json instanceof NonInt64Number)

export const notAnObject = (json: unknown): FieldProblem => ({
  field: "body",
  expected: "expected a JSON object",
  received: showJson(json),
})

/** Numbers decoded from text are exact, but a program may have rounded its own numbers. */
export const showMember = (value: unknown): string =>
  Number.isInteger(value) && !Number.isSafeInteger(value) ? `${value}, a number that may be rounded` : showJson(value)

/** Two decoders of an object. Both ignore unknown members, unless one is only another spelling of an absent member. */
export interface ObjectDecoder<A> {
  /** Decodes the result of `decodeJson`, or a body that a framework has parsed. */
  readonly fromJson: (json: unknown) => Decoded<A>
  /** Decodes a program's own value, in which a member that is `undefined` counts as absent. */
  readonly fromProgram: (made: unknown) => Decoded<A>
}

/** Makes the decoders of an object with these members. */
export const objectOf = <A extends object>(rules: Rules<A>): ObjectDecoder<A> => {
  const named = Object.entries<Rule<unknown> & { readonly isOptional?: true }>(rules)
  const known = Object.keys(rules)

  const problemsOf = (
    json: Readonly<Record<string, unknown>>,
    isAbsent: (name: string) => boolean,
    misspelled: ReadonlyMap<string, string>,
  ): ReadonlyArray<FieldProblem> => {
    const problems = named.flatMap(([field, { expected, decode, isOptional }]): ReadonlyArray<FieldProblem> => {
      const sent = misspelled.get(field)
      if (!isAbsent(field)) {
        return decode(json[field]) === undefined ? [{ field, expected, received: showMember(json[field]) }] : []
      }
      if (isOptional === true) return []
      return [{ field, expected: "is required", received: sent === undefined ? "nothing" : `${showJson(sent)} in its place` }]
    })
    const others = [...misspelled].filter(([name]) => !problems.some(({ field }) => field === name))
    return [...problems, ...others.map(([field, sent]) => ({ field, expected: otherSpelling, received: showJson(sent) }))]
  }

  const decodeBy =
    (isAbsentIn: (json: object, name: string) => boolean) =>
    (json: unknown): Decoded<A> => {
      if (!isObject(json)) return { problems: [notAnObject(json)] }
      const decoded: Record<string, unknown> = {}
      let isValid = true
      let isComplete = true
      for (const [name, { decode, isOptional }] of named) {
        const given = json[name]
        if (given === undefined && isAbsentIn(json, name)) {
          isComplete = false
          isValid &&= isOptional === true
        } else {
          const value = decode(given)
          if (value === undefined) isValid = false
          else decoded[name] = value
        }
      }
      const isAbsent = (name: string) => json[name] === undefined && isAbsentIn(json, name)
      const sent = () => Object.keys(json).filter((name) => !isAbsent(name))
      const misspelled = isComplete ? [] : nearMisses(sent(), known)
      // Safe: every member has the value that its decoder returned.
      if (isValid && misspelled.length === 0) return { value: decoded as A }
      return { problems: problemsOf(json, isAbsent, new Map(misspelled)) }
    }

  return {
    fromJson: decodeBy((json, name) => !Object.hasOwn(json, name)),
    fromProgram: decodeBy(() => true),
  }
}
