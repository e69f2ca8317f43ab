/** The real service: its own process, with a store and keys of its own. */
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"

const bin = new URL("../../../apps/http/bin/petstore", import.meta.url).pathname
const run = promisify(execFile)

type Deployment = "production" | "staging" | "development"

interface CreatedKey {
  readonly id: string
  readonly key: string
}

/** A running service. Disposing of it stops the process and deletes the store. */
export interface Petstore extends AsyncDisposable {
  readonly baseUrl: string
  /** A key of the service's own deployment. */
  readonly apiKey: string
  /** Runs a command of the operator on the same store and answers its JSON. */
  readonly operate: (args: ReadonlyArray<string>, deployment?: Deployment) => Promise<unknown>
  readonly createKey: (args?: ReadonlyArray<string>, deployment?: Deployment) => Promise<CreatedKey>
}

/** Starts the service on a free port of loopback. `settings` are added to its environment. */
export const startPetstore = async (
  deployment: Deployment = "production",
  settings: Readonly<Record<string, string>> = {},
): Promise<Petstore> => {
  const folder = await mkdtemp(join(tmpdir(), "petstore-client-"))
  const environment = (of: Deployment) => ({
    // biome-ignore lint/style/noProcessEnv: a child needs PATH and its like
    ...process.env,
    PORT: "0",
    LOG_LEVEL: "silent",
    DATABASE_URL: `sqlite:${join(folder, `${of}.db`)}`,
    PETSTORE_ENV: of,
    ...settings,
  })
  const operate: Petstore["operate"] = async (args, of = deployment) =>
    JSON.parse((await run(bin, [...args, "--json"], { env: environment(of) })).stdout)
  const createKey: Petstore["createKey"] = async (args = [], of = deployment) => {
    // A store belongs to one deployment: a key of another is made in another store.
    if (of !== deployment) await operate(["accounts", "create", "team"], of)
    // Safe: the command promises `id` and `key`; another answer fails every test at once.
    return (await operate(["keys", "create", "--account", "team", ...args], of)) as CreatedKey
  }

  await operate(["accounts", "create", "team"])
  const { key: apiKey } = await createKey()
  const server = spawn(bin, ["serve"], { env: environment(deployment), stdio: ["ignore", "pipe", "inherit"] })
  const [output] = await once(server.stdout, "data")
  const [baseUrl] = /http:[^\s"]+/.exec(String(output)) ?? []
  if (baseUrl === undefined) throw new Error(`The service did not start: ${output}`)

  return {
    baseUrl,
    apiKey,
    operate,
    createKey,
    [Symbol.asyncDispose]: async () => {
      server.kill()
      await once(server, "exit")
      await rm(folder, { recursive: true })
    },
  }
}
