/** Bundles the two scripts and the style sheet that the counter page loads, and copies the page itself. */
import { readFileSync } from "node:fs"
import { styleSheet } from "@petstore/docs/style-sheet"
import { defineConfig, type Plugin } from "rolldown"

const page: Plugin = {
  name: "page",
  buildStart() {
    this.emitFile({
      type: "asset",
      fileName: "page.html",
      source: readFileSync(new URL("src/page.html", import.meta.url), "utf8"),
    })
  },
}

const styles = [
  import.meta.resolve("@petstore/docs/theme.css"),
  import.meta.resolve("@petstore/docs/controls.css"),
  ...["page", "numbers", "animals"].map((name) => new URL(`src/styles/${name}.css`, import.meta.url).href),
]

export default defineConfig([
  {
    input: "src/main.ts",
    output: { file: "dist/page.js", format: "iife", minify: true },
    plugins: [page, styleSheet(styles)],
  },
  {
    input: "@petstore/docs/theme",
    output: { file: "dist/theme.js", format: "iife", minify: true },
  },
])
