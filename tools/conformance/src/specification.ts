/** The numbered sentences of `docs/specification.md`, read from the document itself. */
import { readFileSync } from "node:fs"

/** Parses the numbered sentences. Throws if one has another form. `source`: the specification (`S`) or our own decision (`D`). */
export const readSpecification = (document: string) =>
  document
    .split("\n")
    .filter((line) => /^- \*\*\d/.test(line))
    .map((line) => {
      const [, number = "", source, text = ""] = /^- \*\*(\d+(?:\.\d+){1,2})\*\* · ([SD]) · (.+)$/.exec(line) ?? []
      if (source !== "S" && source !== "D") throw new Error(`not a numbered sentence: ${line}`)
      return { number, source, text: text.replace(/ \*(?:Gap|Later): .*$/, "").replaceAll("**", "") }
    })

const text = (): string => readFileSync(new URL("../../../docs/specification.md", import.meta.url), "utf8")

export const specification = () => readSpecification(text())
