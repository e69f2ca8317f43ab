/** Faults in the file names of an open SQLite store: a second name, a different file, or a missing log. */
import { spawnSync } from "node:child_process"
import { copyFileSync, linkSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { run } from "@petstore/harness/command"
import type { Random } from "@petstore/harness/random"
import type { Round } from "./plan.ts"
import type { Stage } from "./stage.ts"

/** Gives a file a second name, by a link or a mount (if this user is allowed to). Returns a function that removes the name. */
const nameAgain = (file: string, name: string, random: Random): (() => void) => {
  writeFileSync(name, "")
  if (random.chance(0.5) && spawnSync("mount", ["--bind", file, name]).status === 0) {
    return () => {
      spawnSync("umount", ["--lazy", name])
      rmSync(name)
    }
  }
  rmSync(name)
  linkSync(file, name)
  return () => rmSync(name)
}

/** Gives the store a second name, and checks that a program refuses to write under that name while the service is running. */
export const nameTwice = async ({ store, commands }: Stage, random: Random): Promise<void> => {
  const [main = ""] = store.files
  const name = `${main}.second`
  const remove = nameAgain(main, name, random)
  try {
    const { exitCode, stderr } = await run({ ...commands, DATABASE_URL: `sqlite:${name}` }, "accounts", "create", "other")
    if (exitCode !== 1 || !/mounted without its folder|names/.test(stderr)) {
      throw new Error(`a program accepted a second name for the store: ${exitCode} ${stderr}`)
    }
  } finally {
    remove()
  }
}

/** The backup of the former content that a service left beside a file that was replaced. */
const keptContent = (main: string): string | undefined =>
  readdirSync(dirname(main))
    .filter((name) => name.startsWith(`${basename(main)}.replaced-`) && !/\.(?:log|unfinished)/.test(name))
    .map((name) => join(dirname(main), name))
    .at(-1)

/**
 * Moves the file aside, in some rounds with an older copy in its place. Then brings back what was acknowledged: from the backup
 * that the service made of it, or, if the service was killed before that, by moving the file back to its log.
 */
export const takeName = async ({ service, store, commands }: Stage, random: Random, round: Round): Promise<string> => {
  const [main = ""] = store.files
  const aside = `${main}.aside`
  const isReplaced = random.chance(0.5)
  if (isReplaced) {
    copyFileSync(main, `${main}.copy`)
    linkSync(main, aside)
    renameSync(`${main}.copy`, main)
  } else renameSync(main, aside)
  await sleep(round.lastsMillis)
  await (round.isKilled ? service.kill() : service.stop())
  const kept = keptContent(main)
  if (kept === undefined) renameSync(aside, main)
  else {
    const { exitCode, stderr } = await run(commands, "restore", "--replace", "--with-keys", kept)
    if (exitCode !== 0) throw new Error(`the backup of the former content cannot be restored: ${stderr}`)
    rmSync(aside)
    rmSync(kept)
  }
  await service.start()
  return `${isReplaced ? "replaced" : "moved"}${kept === undefined ? "" : ", restored"}`
}

/**
 * Removes the log, its index or both. The service still has these files open, and its acknowledged writes might exist only there.
 * When it stops, it must copy the writes to the database file. A kill would lose them, whatever the service does.
 */
export const removeLog = async ({ service, store }: Stage, random: Random, round: Round): Promise<string> => {
  const [main = ""] = store.files
  const removed = random.pick([["-wal"], ["-shm"], ["-wal", "-shm"]])
  for (const suffix of removed) rmSync(`${main}${suffix}`)
  await sleep(round.lastsMillis)
  await service.stop()
  await service.start()
  return removed.join(" and ")
}
