/** Compares `petstore import` and `petstore export` of a million pets with `sqlite3`, and the import with `hand-loop.ts` too. */
import { spawnSync } from "node:child_process"
import { copyFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { wordsOf } from "@petstore/core"
import { commandPath } from "@petstore/harness/command"
import { say } from "@petstore/harness/command-line"
import { makeCatalogue } from "./catalogue.ts"
import { conditions, makeFolder, median, type Options, table } from "./session.ts"

interface Contestant {
  readonly name: string
  readonly command: ReadonlyArray<string>
  readonly input?: string
}

/** Imports through a staging table. The file contains the words of the names, which the command line program cannot find. */
const shellImport = (file: string): string => `.bail on
CREATE TEMP TABLE staged (name TEXT, category_id INTEGER, status TEXT, words TEXT);
.import --csv --schema temp ${file} staged
INSERT INTO pets (name, category_id, status)
  SELECT name, category_id, nullif(status, '') FROM staged ORDER BY rowid;
INSERT INTO pet_words (docid, words) SELECT rowid, words FROM staged ORDER BY rowid;
`

const shellExport = `.bail on
.mode csv
.headers on
SELECT id, name, category_id AS categoryId, status FROM pets ORDER BY id;
`

export const run = async (options: Options): Promise<void> => {
  const animals = Number(options.animals ?? 1_000_000)
  const rounds = Number(options.rounds ?? 3)

  const folder = makeFolder("import")
  const inFolder = (name: string) => join(folder, name)
  const [empty, database, exported] = [inFolder("empty.db"), inFolder("store.db"), inFolder("exported.csv")]
  const [ndjson, csv, withWords] = [inFolder("animals.ndjson"), inFolder("animals.csv"), inFolder("words.csv")]
  const petstore = commandPath("petstore")

  const imports: ReadonlyArray<Contestant> = [
    { name: "import with sqlite3, words in the file", command: ["sqlite3", database], input: shellImport(withWords) },
    {
      name: "import with a hand-written loop",
      command: [process.execPath, join(import.meta.dirname, "hand-loop.ts"), ndjson, database],
    },
    { name: "petstore import of NDJSON", command: [petstore, "import", ndjson] },
    { name: "petstore import of CSV", command: [petstore, "import", csv] },
    { name: "petstore import --all-or-nothing", command: [petstore, "import", ndjson, "--all-or-nothing"] },
  ]
  const exports: ReadonlyArray<Contestant> = [
    { name: "export with sqlite3", command: ["sqlite3", "-cmd", `.output ${exported}`, database], input: shellExport },
    { name: "petstore export of CSV", command: [petstore, "export", exported, "--replace"] },
    { name: "petstore export of NDJSON", command: [petstore, "export", exported, "--format", "ndjson", "--replace"] },
  ]

  const secondsOf = ({ name, command: [program = "", ...args], input = "" }: Contestant): number => {
    const startedAt = performance.now()
    const { status, stderr, error } = spawnSync(program, args, {
      input,
      // biome-ignore lint/style/noProcessEnv: a child process inherits its parent's environment
      env: { ...process.env, DATABASE_URL: `sqlite:${database}` },
      encoding: "utf8",
    })
    if (status !== 0) throw new Error(`${name} failed (${status ?? error}): ${stderr}`)
    return (performance.now() - startedAt) / 1000
  }

  const importOnce = (contestant: Contestant): number => {
    for (const more of ["", "-wal", "-shm"]) rmSync(`${database}${more}`, { force: true })
    copyFileSync(empty, database)
    const seconds = secondsOf(contestant)
    using store = new DatabaseSync(database)
    const kept = store.prepare("SELECT count(*) AS kept FROM pets").get()?.["kept"]
    if (kept !== animals) throw new Error(`${contestant.name} stored ${kept} pets, not ${animals}`)
    return seconds
  }

  /** Measures all contestants in interleaved rounds. The first contestant is the baseline for the rest. */
  const rowsOf = (contestants: ReadonlyArray<Contestant>, measure: (contestant: Contestant) => number) => {
    const results = contestants.map((contestant) => ({ contestant, seconds: [] as Array<number> }))
    for (let round = 0; round < rounds; round += 1) {
      for (const { contestant, seconds } of results) seconds.push(measure(contestant))
    }
    return results.map(({ contestant: { name }, seconds }) => [
      name,
      Math.round(animals / median(seconds)),
      median(seconds.map((own, round) => own / (results[0]?.seconds[round] ?? own))).toFixed(2),
    ])
  }

  await makeCatalogue(empty, 0)
  const statuses = ["available", "pending", "sold", undefined]
  const pets = Array.from({ length: animals }, (_, index) => ({
    name: `Pet number ${index}`,
    categoryId: index % 50,
    status: statuses[index % 4],
  }))
  const write = (file: string, lines: ReadonlyArray<string>) => writeFileSync(file, `${lines.join("\n")}\n`)
  const cells = pets.map(({ name, categoryId, status = "" }) => `${name},${categoryId},${status}`)
  const objects = pets.map((pet) => JSON.stringify(pet))
  const worded = cells.map((line, index) => `${line},${wordsOf(pets[index]?.name ?? "").join(" ")}`)
  write(ndjson, objects)
  write(csv, ["name,categoryId,status", ...cells])
  write(withWords, worded)

  const rows = [...rowsOf(imports, importOnce), ...rowsOf(exports, secondsOf)]
  say(`${conditions(`${animals} animals`, `medians of ${rounds} interleaved rounds`)}\n`)
  say(table(["import or export", "animals/s", "time, × sqlite3"], rows))
}
