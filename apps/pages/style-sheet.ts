/** A rolldown plugin that joins style sheets into one file, without comments or unnecessary spaces. */
import { readFileSync } from "node:fs"
import type { Plugin } from "rolldown"

/** @param files  the URLs of the sheets, in the order of the cascade */
export const styleSheet = (files: ReadonlyArray<string>): Plugin => ({
  name: "style-sheet",
  buildStart() {
    const source = files
      .map((file) => readFileSync(new URL(file), "utf8"))
      .join("\n")
      .replace(/\/\*.*?\*\//gs, "")
      .replace(/\s+/g, " ")
      .replace(/ ?([{};]) ?/g, "$1")
      .replace(/([:,]) /g, "$1")
    this.emitFile({ type: "asset", fileName: "page.css", source })
  },
})
