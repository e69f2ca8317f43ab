/** Samples that follow the input: the values in the form below them, and the API key. */

import { all, allOf, make } from "@petstore/pages/elements"
import type { Call } from "../call.ts"
import { type CodeToken, codeTokens, tokenClasses } from "../highlight.ts"
import { samplesOf } from "../samples.ts"
import { apiKey, onApiKey } from "./api-key.ts"
import { baseAddress, callOf } from "./request.ts"

/** The forms in which the reader has typed. Their samples show the request that they would send. */
const typed = new WeakSet<HTMLFormElement>()

/** Splits a text so that the key has its own element. The page masks this element like the key's field. */
const withKeyApart = (text: string, key: string): ReadonlyArray<string | HTMLElement> => {
  if (key === "") return [text]
  return text.split(key).flatMap((piece, index) => (index === 0 ? [piece] : [make("span", "sample-key", key), piece]))
}

/** Makes the nodes of coloured code, in which the key has its own element. */
export const codeNodes = (tokens: ReadonlyArray<CodeToken>, key = ""): ReadonlyArray<string | HTMLElement> =>
  tokens.flatMap(({ kind, text }) => {
    const parts = withKeyApart(text, key)
    const className = tokenClasses[kind]
    return className === undefined ? parts : make("span", className, parts)
  })

const show = (samples: HTMLElement, call: Call): void => {
  const key = apiKey()
  for (const { language, source } of samplesOf({ call, base: baseAddress, apiKey: key })) {
    const code = samples.querySelector(`[data-tab="${language}"] code`)
    code?.replaceChildren(...codeNodes(codeTokens(language, source), key))
  }
}

export const enableSamples = (): void => {
  for (const form of allOf("[data-try] form", HTMLFormElement)) {
    const operation = form.dataset["operation"] ?? ""
    const showAll = () => {
      const call = callOf(form, { withExamples: !typed.has(form) })
      for (const samples of all(`[data-samples="${operation}"]`)) show(samples, call)
    }
    form.addEventListener("input", ({ target }) => {
      // The key belongs to all forms, so typing the key does not count as input in this form.
      if (target instanceof HTMLElement && target.dataset["key"] === undefined) typed.add(form)
      showAll()
    })
    onApiKey(showAll)
    showAll()
  }
}
