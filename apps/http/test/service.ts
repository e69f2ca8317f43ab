/** The service as a test needs it: the built command, on a port of its own, with a store in memory or in a temporary folder. */
import { spawn } from "node:child_process"
import { join } from "node:path"

/** A running service and the API key it printed when it started. */
export interface Service {
  readonly origin: string
  readonly key: string
  /** Stops it with a signal and waits for its end. */
  readonly stop: (signal?: "SIGTERM" | "SIGKILL") => Promise<void>
}

const command = join(import.meta.dirname, "../../../node_modules/.bin/petstore")

/** Starts the service. Fails with what it printed if it ends before it serves. */
export const startService = async (settings: Readonly<Record<string, string>> = {}): Promise<Service> => {
  const env = { PATH: "/usr/local/bin:/usr/bin:/bin", PORT: "0", DATABASE_URL: "memory:", LOG_LEVEL: "silent", ...settings }
  const child = spawn(command, ["serve"], { env, stdio: ["ignore", "pipe", "pipe"] })
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()))
  let printed = ""
  const { origin, key } = await new Promise<Pick<Service, "origin" | "key">>((resolve, reject) => {
    const take = (bytes: Buffer) => {
      printed += bytes
      const [, address] = /served at (http:\S+)\/v1[\n"]/.exec(printed) ?? []
      const [secret] = /pst_dev_[0-9A-Za-z]{38}/.exec(printed) ?? []
      if (address !== undefined && (secret !== undefined || settings["PETSTORE_ENV"] !== undefined)) {
        resolve({ origin: address, key: secret ?? "" })
      }
    }
    child.stdout.on("data", take)
    child.stderr.on("data", take)
    void ended.then(() => reject(new Error(`the service ended: ${printed}`)))
  })
  return {
    origin,
    key,
    stop: (signal = "SIGTERM") => {
      child.kill(signal)
      return ended
    },
  }
}
