/**
 * Compares the service with its alternatives in interleaved rounds, on the same machine, with the same Node and the same work,
 * and checks every response. Prints a Markdown table of medians and ratios.
 */
import { copyFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { say, WrongUsage } from "@petstore/harness/command-line"
import { makeCatalogue, startPostgresCatalogue } from "./catalogue.ts"
import { type Contestant, contest, enter } from "./contest.ts"
import { comparison, doubts, explanations } from "./report.ts"
import { fewServers, formerServers, limit, onPostgres, servers } from "./servers.ts"
import { conditions, machineName, makeFolder, type Options, tell } from "./session.ts"
import { slowFsync } from "./slow-fsync.ts"
import { workloads } from "./workloads.ts"

export const run = async (options: Options): Promise<void> => {
  const { quick = false, store, only = "", peers = "" } = options
  if (!["sqlite", "postgres"].includes(store ?? "sqlite")) throw new WrongUsage(`--store ${store}: expected sqlite or postgres`)
  const fsyncMillis = Number(options["fsync-millis"] ?? 0)
  const rounds = Number(options.rounds ?? (quick ? 1 : 5))
  const seconds = Number(options.seconds ?? (quick ? 1 : 3))
  const animals = Math.min(quick ? 100_000 : Number.POSITIVE_INFINITY, Number(options.catalogue ?? 1_000_000))
  const isPostgres = store === "postgres"
  /** A built checkout of earlier code, for the comparison. */
  const before = options.before === undefined ? undefined : resolve(options.before)
  const formers = before === undefined ? [] : formerServers(before)
  const chosen = [...(isPostgres ? onPostgres : quick ? fewServers : servers), ...formers]
  const tested = chosen.filter(({ name }) => new RegExp(peers).test(name))
  const chosenWorkloads = workloads.filter(({ name }) => new RegExp(only).test(name))
  const folder = makeFolder("bench")
  const disk = slowFsync(folder, fsyncMillis)
  const original = join(folder, "catalogue.db")
  tell(`A catalogue of ${animals} animals…`)
  const postgres = isPostgres ? await startPostgresCatalogue(animals) : undefined
  try {
    const key = postgres?.key ?? (await makeCatalogue(original, animals))
    // Each checkout makes its own store, because neither may open the other's.
    const former = join(folder, "former.db")
    const formerKey = before === undefined || isPostgres ? key : await makeCatalogue(former, animals, before)
    const isCold = chosenWorkloads.some((workload) => workload.isCold)
    const all: Array<Contestant> = []
    for (const [index, server] of tested.entries()) {
      const database = (await postgres?.copy(`copy_${index}`)) ?? join(folder, `${index}.db`)
      const isFormer = formers.includes(server)
      if (!isPostgres) copyFileSync(isFormer ? former : original, database)
      const itsKey = isFormer ? formerKey : key
      all.push(await enter(server, { name: server.name, folder, database, key: itsKey, animals, isCold, core: 0, disk }))
    }
    const results = await contest(all, chosenWorkloads, { rounds, seconds })
    const machine = conditions(
      machineName,
      isPostgres ? "PostgreSQL on the same machine" : "SQLite",
      ...(fsyncMillis === 0 ? [] : [`fsync delayed by ${fsyncMillis} ms`]),
      `catalogue of ${animals} animals`,
      `${rounds} ${rounds === 1 ? "round" : "rounds"} of ${seconds} s`,
    )
    const parts = [comparison(results, tested, limit.name), explanations(chosenWorkloads), doubts(results, tested)]
    say([machine, ...parts.filter((part) => part !== "")].join("\n\n"))
  } finally {
    await postgres?.stop()
  }
}
