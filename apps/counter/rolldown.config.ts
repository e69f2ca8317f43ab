/** Bundles the two scripts and the style sheet that the counter page loads. */
import { styleSheet } from "@petstore/pages/style-sheet"
import { defineConfig } from "rolldown"

const styles = [
  import.meta.resolve("@petstore/pages/theme.css"),
  import.meta.resolve("@petstore/pages/controls.css"),
  ...["page", "numbers", "animals"].map((name) => new URL(`src/styles/${name}.css`, import.meta.url).href),
]

export default defineConfig([
  {
    input: "src/main.tsx",
    output: { file: "dist/page.js", format: "iife", minify: true },
    transform: { jsx: { runtime: "automatic", importSource: "preact" } },
    plugins: [styleSheet(styles)],
  },
  {
    input: "@petstore/pages/theme",
    output: { file: "dist/theme.js", format: "iife", minify: true },
  },
])
