/** Bundles what the docs page loads: two scripts and one style sheet. */
import { readFileSync } from "node:fs"
import { defineConfig, type Plugin } from "rolldown"

/** In the order of the cascade. */
const styles = [
  "theme",
  "text",
  "frame",
  "marks",
  "overview",
  "operations",
  "code",
  "try-it",
  "reference",
  "fold",
  "search",
  "media",
]

const styleSheet: Plugin = {
  name: "style-sheet",
  buildStart() {
    const read = (name: string) => readFileSync(new URL(`src/styles/${name}.css`, import.meta.url), "utf8")
    // Comments and indentation are for us.
    const source = styles
      .map(read)
      .join("\n")
      .replace(/\/\*.*?\*\//gs, "")
      .replace(/\s*\n\s*/g, " ")
    this.emitFile({ type: "asset", fileName: "page.css", source })
  },
}

export default defineConfig(
  ["page", "theme"].map((name) => ({
    input: `src/browser/${name}.ts`,
    output: { file: `dist/${name}.js`, format: "iife" as const, minify: true },
    plugins: name === "page" ? [styleSheet] : [],
  })),
)
