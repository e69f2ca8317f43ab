/** A restore from a backup of a killed service's files, while the old logs still exist. The restore is also killed. */
import { copyFileSync, existsSync, readdirSync, renameSync, rmSync } from "node:fs"
import { basename, dirname } from "node:path"
import { commandPath, type Environment, petstore, run, runInVain } from "@petstore/harness/command"
import type { Random } from "@petstore/harness/random"
import type { Stage } from "./stage.ts"

/** The longest delay before a restore is killed, in ms: about as long as a restore takes. */
const longestMillis = 600

/** Checks that a program that opens the store now does not find different content. */
const look = async (commands: Environment): Promise<void> => {
  const { exitCode, stdout, stderr } = await run(commands, "accounts", "list")
  const isInterrupted = exitCode !== 0 && stderr.includes("was interrupted")
  if (!isInterrupted && !stdout.includes("torture"))
    throw new Error(`a killed restore left a different store: ${stdout}${stderr}`)
}

/** Kills the service, and restores its store from a new backup, which has every acknowledged write. */
export const restoreAfterCrash = async ({ service, store, commands }: Stage, random: Random): Promise<string> => {
  const [main = ""] = store.files
  const folder = dirname(main)
  const file = `${main}.backup`
  await service.kill()
  const logs = ["-wal", "-shm", "-journal"].map((suffix) => `${main}${suffix}`).filter((log) => existsSync(log))
  for (const log of logs) copyFileSync(log, `${log}.of-killed`)
  const { pets } = await petstore(commands, "backup", file)
  const restore = [commandPath("petstore"), "restore", "--replace", "--with-keys", file]
  // The operator either moves the file aside and leaves its logs, or does not change anything.
  const isMoved = random.chance(0.5)
  if (isMoved) {
    renameSync(main, `${main}.moved`)
    for (const log of logs) renameSync(`${log}.of-killed`, log)
  }
  const wasKilled = await runInVain(commands, restore, random.integer(100, longestMillis))
  // If there is no store, a program that opens it might create one.
  if (existsSync(main) || existsSync(`${main}.restoring`)) await look(commands)
  const restored = await petstore(commands, "restore", "--replace", "--with-keys", file)
  if (restored["pets"] !== pets) throw new Error(`${pets} pets were backed up, but ${restored["pets"]} were restored`)
  const ours = (name: string) =>
    name.startsWith(basename(main)) && /\.(backup|moved|unfinished)|before-restore|of-killed/.test(name)
  for (const name of readdirSync(folder).filter(ours)) rmSync(`${folder}/${name}`)
  await service.start()
  return [
    isMoved ? "moved" : "in place",
    ...logs.map((log) => log.slice(main.length + 1)),
    ...(wasKilled ? ["killed"] : []),
  ].join(", ")
}
