/**
 * Bundles the client into one module, with only those parts of core's tables that requests need. The size budget of the bundle
 * enforces this.
 */
import { operations } from "@petstore/core/contract"
import { defineConfig } from "rolldown"

// `getPet` is deprecated. The client requests a list of one pet instead.
const { getPet: _, ...called } = operations

const facts = ["kind", "method", "path", "takes", "gives"]
const table = `export const operations = ${JSON.stringify(called, [...Object.keys(called), ...facts])}`

export default defineConfig({
  input: "src/index.ts",
  output: { file: "dist/index.js", comments: false, sourcemap: true },
  plugins: [
    {
      name: "what-a-request-needs",
      transform: {
        filter: { id: /[\\/]contract[\\/](?:operations|failures)\.js$/ },
        handler: (code) => ({
          code: code
            .replace(/^export const operations = \{$[\s\S]*?^\};?$/m, () => table)
            // A code with only a status needs no row, because the client reads the status from the response.
            .replaceAll(/^ +\w+: \{ status: \d+ \},$/gm, "")
            .replace("failures[code]", "failures[code] ?? {}"),
          map: null,
        }),
      },
    },
  ],
})
