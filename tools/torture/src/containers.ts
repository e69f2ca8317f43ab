/** Runs commands on the store in separate containers, as a different unit or pod would, and kills them while they write. */
import { spawnSync } from "node:child_process"
import { commandPath, type Environment, runInVain } from "@petstore/harness/command"
import { childrenOf } from "@petstore/harness/processes"
import type { Random } from "@petstore/harness/random"
import type { StartOptions } from "@petstore/harness/serving"

/** Options of `unshare`: the namespaces that hide the service and the commands from each other. */
const namespaces = ["--user", "--map-root-user", "--pid", "--fork", "--kill-child", "--mount-proc", "--uts"]

/** Starts a service in a container, which stops when the service exits. */
export const contained: StartOptions = {
  launcher: ["unshare", ...namespaces],
  processOf: (pid) => childrenOf(pid)[0] ?? pid,
}

/** Why no container can be created here, or `undefined` if one can. */
export const noContainers = (): string | undefined => {
  const { status, stderr, error } = spawnSync("unshare", [...namespaces, "true"], { encoding: "utf8" })
  return status === 0 ? undefined : `unshare: ${error?.message ?? stderr.trim()}`
}

/** Creates accounts from containers that are killed one after another. Returns the number of containers. */
export const killContainers = async (commands: Environment, lastsMillis: number, random: Random): Promise<number> => {
  const end = Date.now() + lastsMillis
  let count = 0
  do {
    const name = `container-${count++}-${random.integer(0, 999_999)}`
    const command = [commandPath("petstore"), "accounts", "create", name]
    await runInVain(commands, ["unshare", ...namespaces, ...command], random.integer(100, 1000))
  } while (Date.now() < end)
  return count
}
