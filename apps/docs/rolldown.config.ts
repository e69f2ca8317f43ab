/** Bundles the two scripts and the style sheet that the docs page loads. */
import { defineConfig } from "rolldown"
import { styleSheet } from "./style-sheet.ts"

/** The style sheets, in the order of the cascade. */
const styles = [
  "theme",
  "controls",
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

export default defineConfig(
  ["page", "theme"].map((name) => ({
    input: `src/browser/${name}.ts`,
    output: { file: `dist/${name}.js`, format: "iife" as const, minify: true },
    plugins: name === "page" ? [styleSheet(styles.map((sheet) => new URL(`src/styles/${sheet}.css`, import.meta.url).href))] : [],
  })),
)
