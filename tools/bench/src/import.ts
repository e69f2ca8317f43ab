/** `petstore import` against a loop of prepared inserts written by hand, on the same file of pets, in interleaved rounds. */
import { spawnSync } from "node:child_process"
import { copyFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { commandPath } from "@petstore/harness/command"
import { say } from "@petstore/harness/command-line"
import { makeCatalogue } from "./catalogue.ts"
import type { Options } from "./options.ts"
import { conditions, makeFolder, median, table } from "./session.ts"

export const run = async (options: Options): Promise<void> => {
  const animals = Number(options.animals ?? 1_000_000)
  const rounds = Number(options.rounds ?? 3)

  const folder = makeFolder("import")
  const empty = join(folder, "empty.db")
  const database = join(folder, "store.db")
  const file = join(folder, "animals.ndjson")
  const petstore = commandPath("petstore")

  const contestants: ReadonlyArray<{ readonly name: string; readonly command: ReadonlyArray<string> }> = [
    { name: "loop written by hand", command: [process.execPath, join(import.meta.dirname, "hand-loop.ts"), file, database] },
    { name: "petstore import", command: [petstore, "import", file] },
    { name: "petstore import --all-or-nothing", command: [petstore, "import", file, "--all-or-nothing"] },
  ]

  /** Imports into an empty store and returns the duration, in s. */
  const secondsOf = ([command = "", ...args]: ReadonlyArray<string>): number => {
    for (const more of ["", "-wal", "-shm"]) rmSync(`${database}${more}`, { force: true })
    copyFileSync(empty, database)
    const startedAt = performance.now()
    const { status, stderr } = spawnSync(command, args, {
      // biome-ignore lint/style/noProcessEnv: a started program inherits the environment of its starter
      env: { ...process.env, DATABASE_URL: `sqlite:${database}` },
      encoding: "utf8",
    })
    const seconds = (performance.now() - startedAt) / 1000
    const store = new DatabaseSync(database)
    const kept = store.prepare("SELECT count(*) AS kept FROM pets").get()?.["kept"]
    store.close()
    if (status !== 0 || kept !== animals) throw new Error(`${command} ended with ${status} and kept ${kept}: ${stderr}`)
    return seconds
  }

  await makeCatalogue(empty, 0)
  const statuses = ["available", "pending", "sold", undefined]
  const lines = Array.from({ length: animals }, (_, index) =>
    JSON.stringify({ name: `Pet number ${index}`, categoryId: index % 50, status: statuses[index % 4] }),
  )
  writeFileSync(file, `${lines.join("\n")}\n`)
  const results = contestants.map(({ name, command }) => ({ name, command, seconds: [] as Array<number> }))
  for (let round = 0; round < rounds; round += 1) for (const { command, seconds } of results) seconds.push(secondsOf(command))

  const [byHand] = results
  const rows = results.map(({ name, seconds }) => [
    name,
    Math.round(animals / median(seconds)),
    median(seconds.map((own, round) => (byHand?.seconds[round] ?? own) / own)).toFixed(2),
  ])
  say(`${conditions(`${animals} animals`, `medians of ${rounds} interleaved rounds`)}\n`)
  say(table(["import", "animals/s", "speed, × by hand"], rows))
}
