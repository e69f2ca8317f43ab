/** Starts `petstore-mcp`, a package of its own, so that the service has none of its dependencies. */
import { createRequire } from "node:module"
import { join } from "node:path"
import { Effect } from "effect"
import { CommandFailed } from "./program.js"

const isNotFound = (thrown: unknown): boolean => Object(thrown).code === "MODULE_NOT_FOUND"

/** The installed program, or `undefined`. It is looked for as Node looks for a package of this one. */
const installed = (): string | undefined => {
  try {
    const manifest = createRequire(import.meta.url).resolve("petstore-mcp/package.json")
    return join(manifest, "..", "bin", "petstore-mcp")
  } catch (thrown) {
    if (isNotFound(thrown)) return undefined
    throw thrown
  }
}

/** Replaces this process by `petstore-mcp`, so that the agent's signals and the end of its input reach it. */
export const mcp = ({ port }: { readonly port?: string }): Effect.Effect<void, CommandFailed> =>
  Effect.suspend(() => {
    const program = installed()
    if (program === undefined) {
      const reason =
        "petstore-mcp is not installed beside the service. It is in the repository of the service: see apps/mcp/README.md."
      return Effect.fail(new CommandFailed({ reason }))
    }
    return Effect.sync(() => process.execve?.(program, [program, ...(port === undefined ? [] : ["--port", port])]))
  })
