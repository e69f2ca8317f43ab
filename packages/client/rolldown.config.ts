/** How the client is bundled: into one module, which holds no more of core's tables than a request needs. The budget of the bundle proves it. */
import { operations } from "@petstore/core/contract"
import { defineConfig } from "rolldown"

const requests = Object.entries(operations).map(([name, operation]) => {
  const { kind, method, path, takes, gives }: { [Fact in "kind" | "method" | "path" | "takes" | "gives"]?: string } = operation
  return [name, { kind, method, path, takes, gives }] as const
})
const table = `export const operations = ${JSON.stringify(Object.fromEntries(requests))}`

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
            // The failure of the domain and the headers of its response are the service's.
            .replaceAll(/\b(?:tag: "\w+"|headers: \{.*\}),/g, ""),
          map: null,
        }),
      },
    },
  ],
})
