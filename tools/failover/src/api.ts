/** The service under drill: the built `petstore` command, as an operator starts it. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { Missing, run, start, until } from "./programs.ts"

const command = join(import.meta.dirname, "../../../apps/http/bin/petstore")

const environment = (databaseUrl: string): NodeJS.ProcessEnv => ({
  DATABASE_URL: databaseUrl,
  PETSTORE_ENV: "production",
  PORT: "0",
  LOG_LEVEL: "error",
})

/** Makes the schema, an account and an API key. Answers the key. */
export const createKey = async (databaseUrl: string): Promise<string> => {
  if (!existsSync(join(command, "../../dist/main.js"))) throw new Missing("The service is not built yet: run npm run build")
  const petstore = (...args: ReadonlyArray<string>): Promise<string> =>
    run(undefined, command, [...args, "--json"], environment(databaseUrl))
  await petstore("migrate")
  await petstore("accounts", "create", "drill")
  const created: unknown = JSON.parse(await petstore("keys", "create", "--account", "drill"))
  if (typeof created === "object" && created !== null && "key" in created) return String(created.key)
  throw new Error("keys create answered no key")
}

export interface Api {
  /** Ends in `/v1`. */
  readonly baseUrl: string
  readonly stop: () => Promise<void>
}

/** Starts one process of the service. */
export const startApi = async (databaseUrl: string): Promise<Api> => {
  const { process, output, end } = start(undefined, command, ["serve"], environment(databaseUrl))
  const address = (): string | undefined => /served at ([^\s"]+)/.exec(output())?.[1]
  try {
    await until("the service is served", () => {
      if (process.exitCode !== null) throw new Error("it ended")
      return address() !== undefined
    })
  } catch (thrown) {
    await end("SIGKILL")
    throw new Error(`The service did not start:\n${output()}`, { cause: thrown })
  }
  return { baseUrl: address() ?? "", stop: () => end("SIGKILL") }
}
