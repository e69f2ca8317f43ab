/** Shows a scenario and its outcome in a form that can be read and replayed. */

import { inWords, type Script, type Seen } from "./oracle.ts"
import type { Conversation, Scenario } from "./scenario.ts"

interface Played {
  readonly conversation: Conversation
  readonly script: Script
  readonly seen: Seen
}

const escaped = (bytes: Uint8Array): string =>
  Buffer.from(bytes)
    .toString("latin1")
    .replace(/(.)\1{99,}/g, (run, letter: string) => `${letter}…(${run.length} times)…`)
    .replace(/[^\x20-\x7e…]/g, (character) => {
      if (character === "\r") return "\\r"
      if (character === "\n") return "\\n"
      return `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`
    })

/** Joins words. A run of equal words is shown once, with its length. */
const some = (words: ReadonlyArray<string>): string => {
  const runs: Array<{ readonly word: string; times: number }> = []
  for (const word of words) {
    const last = runs.at(-1)
    if (last?.word === word) last.times += 1
    else runs.push({ word, times: 1 })
  }
  return runs.map(({ word, times }) => (times === 1 ? word : `${times} × ${word}`)).join(" · ")
}

const howItIsSent = (
  { opensAfterMillis, share, cuts, readsAfterMillis, readingPauseMillis, ending }: Conversation,
  bytes: number,
) =>
  [
    `opened after ${opensAfterMillis} ms`,
    share < 1 ? `only the first ${bytes} bytes are sent` : `${bytes} bytes`,
    ...cuts.map(({ at, pauseMillis }) => `cut at byte ${Math.floor(at * bytes)} for ${pauseMillis} ms`),
    ...(readsAfterMillis > 0 ? [`nothing is read for ${readsAfterMillis} ms`] : []),
    ...(readingPauseMillis > 0 ? [`a pause of ${readingPauseMillis} ms after each read`] : []),
    "afterMillis" in ending ? `${ending.kind} after ${ending.afterMillis} ms` : ending.kind,
  ].join(", ")

const shownCharacters = 1_500

const short = (text: string): string =>
  text.length <= shownCharacters ? text : `${text.slice(0, shownCharacters)}…(${text.length - shownCharacters} more characters)`

/** Shows a scenario's conversations, with the bytes that were sent (`>`) and received (`<`). Replaces the key with `$KEY`. */
export const showScenario = ({ signal }: Scenario, played: ReadonlyArray<Played>, key: string): string => {
  const lines = played.flatMap(({ conversation, script, seen }, index) => [
    `connection ${index + 1}: ${howItIsSent(conversation, script.bytes.length)}`,
    `  = ${some(conversation.messages.map((sent) => (typeof sent === "string" ? sent : escaped(sent))))}`,
    `  > ${short(escaped(script.bytes))}`,
    `  < ${some(seen.responses.map(inWords))}${seen.rest.length > 0 ? ` · ${short(escaped(seen.rest))}` : ""}`,
    `  the connection: ${seen.end}`,
  ])
  return [...(signal === undefined ? [] : [`${signal.name} after ${signal.afterMillis} ms`]), ...lines]
    .join("\n")
    .replaceAll(key, "$KEY")
}
