/** Bundles the scripts and the style sheet that the docs page and the guides load. */
import { styleSheet } from "@petstore/pages/style-sheet"
import { defineConfig } from "rolldown"

/** The style sheets, in the order of the cascade. */
const styles = ["text", "frame", "marks", "overview", "operations", "code", "try-it", "reference", "fold", "search", "media"]

export default defineConfig([
  {
    input: "src/browser/page.ts",
    output: { file: "dist/page.js", format: "iife", minify: true },
    plugins: [
      styleSheet([
        import.meta.resolve("@petstore/pages/theme.css"),
        import.meta.resolve("@petstore/pages/controls.css"),
        ...styles.map((sheet) => new URL(`src/styles/${sheet}.css`, import.meta.url).href),
      ]),
    ],
  },
  {
    input: "src/browser/guide.ts",
    output: { file: "dist/guide.js", format: "iife", minify: true },
  },
  {
    input: "@petstore/pages/theme",
    output: { file: "dist/theme.js", format: "iife", minify: true },
  },
])
