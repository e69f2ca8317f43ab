/**
 * Measures searches by words on SQLite and PostgreSQL, relative to a page of a category. The pets were imported in the order of their
 * names, so that the worst word is frequent, but only the oldest pets have it.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Client } from "@petstore/harness/client"
import { commandPath, environmentOf, runProgram } from "@petstore/harness/command"
import { say } from "@petstore/harness/command-line"
import { startServer } from "@petstore/test/postgres-server"
import { drawPets } from "./names.ts"
import { ours } from "./servers.ts"
import { conditions, inRounds, makeFolder, median, type Options, table, tell } from "./session.ts"

/** No search may take longer than this many pages of a category. */
const bounds = { SQLite: 60, PostgreSQL: 80 } as const

const page = "categoryId=7"

const searches = [
  ["a page of a category", page],
  ["a rare word", "name=zyx"],
  ["a rare word, with a status", "name=zyx&status=sold"],
  ["a frequent word", "name=lucky"],
  ["a frequent word, in a category", "name=lucky&categoryId=7"],
  ["two words", "name=lucky+aaron"],
  ["worst: a word of the oldest tenth, newest first", "name=aaron&order=desc"],
  ["worst, with a status", "name=aaron&order=desc&status=sold"],
  ["worst, without a status", "name=aaron&order=desc&withoutStatus=true"],
  ["worst, in a category", "name=aaron&order=desc&categoryId=7"],
  ["worst, one letter", "name=a&order=desc"],
] as const

/** The lines of a CSV file: a tenth of the pets are named Aaron, every seventh has the word Lucky, and five are named Zyx. */
const csvOf = (animals: number): string => {
  const draw = drawPets(1)
  const pets = Array.from({ length: animals }, (_, index) => {
    const { name, categoryId } = draw()
    const first = index % 10 === 0 ? `Aaron ${name}` : index % Math.ceil(animals / 5) === 7 ? `${name} Zyx` : name
    return `${index % 7 === 3 ? `${first} Lucky` : first},${categoryId},${["available", "pending", "sold", ""][index % 4]}`
  })
  return `name,categoryId,status\n${pets.toSorted().join("\n")}\n`
}

export const run = async (options: Options): Promise<void> => {
  const [animals, rounds] = [Number(options.animals ?? 1_000_000), Number(options.rounds ?? 30)]
  const folder = makeFolder("search")
  const file = join(folder, "animals.csv")
  writeFileSync(file, csvOf(animals))

  /** Returns the ratios of each search to the page of a category, and whether the bound held. */
  const measure = async (engine: keyof typeof bounds, database: string, databaseUrl: string): Promise<boolean> => {
    const command = async (...args: ReadonlyArray<string>): Promise<string> => {
      const { exitCode, stdout, stderr } = await runProgram(
        environmentOf({ DATABASE_URL: databaseUrl }),
        commandPath("petstore"),
        args,
      )
      if (exitCode !== 0) throw new Error(`petstore ${args.join(" ")}: ${stderr}`)
      return stdout
    }
    tell(`${engine}: importing ${animals} animals…`)
    await command("import", file)
    await command("accounts", "create", "bench")
    // Safe: the command prints one object with `key`.
    const { key } = JSON.parse(await command("keys", "create", "--account", "bench", "--json")) as { key: string }
    const { baseUrl } = await ours.start({ database, output: join(folder, `${engine}.log`) })
    using client = new Client(baseUrl, key)
    let count = 0
    const millisOf = async (query: string): Promise<number> => {
      // An unknown parameter, so that no response is cached.
      count += 1
      const startedAt = performance.now()
      const { status } = await client.send({ path: `/pets?${query}&unique=${count}` })
      if (status !== 200) throw new Error(`${query}: ${status}`)
      return performance.now() - startedAt
    }
    const measured = await inRounds(rounds, searches, ([, query]) => millisOf(query))
    const medians = searches.map((search) => median(measured.get(search) ?? []))
    const [base = 0] = medians
    const rows = searches.map(([name], index) => [
      name,
      (medians[index] ?? 0).toFixed(2),
      ((medians[index] ?? 0) / base).toFixed(1),
    ])
    say(`\n${conditions(engine, `${animals} animals`, `medians of ${rounds} interleaved rounds`)}\n`)
    say(table([engine, "ms", "× the page of a category"], rows))
    const worst = Math.max(...medians) / base
    say(`\nWorst: ${worst.toFixed(1)}, bound: ${bounds[engine]}`)
    return worst <= bounds[engine]
  }

  const path = join(folder, "store.db")
  const isBoundOnSqlite = await measure("SQLite", path, `sqlite:${path}`)
  const server = await startServer(["shared_buffers=256MB"])
  try {
    await server.createDatabase("search")
    const url = server.url("search")
    if (!(await measure("PostgreSQL", url, url)) || !isBoundOnSqlite) throw new Error("A search exceeded its bound")
  } finally {
    await server.stop()
  }
}
