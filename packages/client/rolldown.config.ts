/** Bundles the client into one module. Core's tables stay outside, because the build evaluates `facts.ts`. */
import { defineConfig } from "rolldown"
import * as facts from "./src/facts.ts"

export default defineConfig({
  input: "src/index.ts",
  output: { file: "dist/index.js", comments: { annotation: true, jsdoc: false, legal: false }, sourcemap: true },
  plugins: [
    {
      name: "facts",
      transform: {
        filter: { id: /[\\/]client[\\/]src[\\/]facts\.ts$/ },
        handler: () => ({
          code: Object.entries(facts)
            .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)}`)
            .join("\n"),
          map: null,
        }),
      },
    },
  ],
})
