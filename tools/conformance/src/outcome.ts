import { messageOf } from "@petstore/harness/error-text"
import { Http, type RecordedExchange } from "@petstore/harness/http"
import { needPets } from "./catalogue.ts"
import { type Given, NotTested, type Sentence } from "./sentence.ts"

export interface Target {
  /** The base URL, which ends in `/v1`. */
  readonly baseUrl: string
  readonly key: string
  readonly write: boolean
  readonly given?: Given
  /** Called with every exchange that has a response. */
  readonly observe?: (exchange: Required<RecordedExchange>) => void
}

export type Outcome =
  | { readonly kind: "pass" }
  | { readonly kind: "fail"; readonly reason: string; readonly exchange: string; readonly cause: unknown }
  | { readonly kind: "not tested"; readonly reason: string }

/** The command-line option for a need: `--second-key` for `secondKey`. */
const optionOf = (need: keyof Given): string => `--${need.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

/** Tests a service against a sentence. Never rejects. */
export const attempt = async (sentence: Sentence, target: Target): Promise<Outcome> => {
  const given = target.given ?? {}
  if (sentence.writes && !target.write) return { kind: "not tested", reason: "creates pets: pass --write" }
  const missing = (sentence.needs ?? []).filter((need) => given[need] === undefined || given[need] === false)
  if (missing.length > 0) return { kind: "not tested", reason: `pass ${missing.map(optionOf).join(" and ")}` }
  const http = new Http(new URL(target.baseUrl.replace(/\/$/, "")), target.key, target.observe)
  try {
    const context = { http, given, write: target.write }
    if (sentence.pets !== undefined) await needPets(context, sentence.pets, sentence.ofStatus)
    await sentence.test(context)
    return { kind: "pass" }
  } catch (cause) {
    if (cause instanceof NotTested) return { kind: "not tested", reason: cause.message }
    const reason = withoutSecrets(messageOf(cause), target)
    return { kind: "fail", reason, exchange: withoutSecrets(show(http.exchanges.at(-1)), target), cause }
  }
}

const withoutSecrets = (text: string, { key, given }: Target): string =>
  [key, given?.secondKey, given?.revokedKey, given?.expiredKey, given?.disabledKey, given?.readOnlyKey]
    .filter((secret) => secret !== undefined)
    .reduce((shown, secret) => shown.replaceAll(secret, "<key>"), text)

const longestShown = 1500

/** An exchange as abbreviated text, with visible control characters. */
const show = (exchange: RecordedExchange | undefined): string => {
  if (exchange === undefined) return "no request was sent"
  const { request, response } = exchange
  const head = [`${response?.version} ${response?.status}`, ...(response?.headers ?? []).map((field) => field.join(": "))]
  const received = response === undefined ? "(no response)" : [...head, "", response.text].join("\n")
  return [mark(request.toString("utf8"), ">"), mark(received, "<")].join("\n")
}

const mark = (text: string, sign: string): string => {
  const short = text.length > longestShown ? `${text.slice(0, longestShown)}… (${text.length} characters)` : text
  return short
    .split(/\r?\n/)
    .map((line) => `${sign} ${visible(line)}`)
    .join("\n")
}

const visible = (line: string): string =>
  line.replace(/\p{Cc}/gu, (character) => `\\x${(character.codePointAt(0) ?? 0).toString(16).padStart(2, "0")}`)
