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

/** What a contestant took. Processor time also compares on a busy machine, and counts every thread. */
interface Taken {
  readonly seconds: number
  readonly cpuSeconds: number
}

/** Runs a command, and prints the processor time of the shell and of the command (POSIX `times`). */
const timed = '"$0" "$@"; status=$?; times; exit $status'

/** The seconds of user and system time in the last line that `times` prints: `0m1.25s 0m0.75s`. */
const cpuSecondsIn = (printed: string): number => {
  const times =
    printed
      .trimEnd()
      .split("\n")
      .at(-1)
      ?.matchAll(/(\d+)m([\d.]+)s/g) ?? []
  return [...times].reduce((sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds), 0)
}

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

  const takenBy = ({ name, command, input = "" }: Contestant): Taken => {
    const startedAt = performance.now()
    const { status, stdout, stderr, error } = spawnSync("sh", ["-c", timed, ...command], {
      input,
      // biome-ignore lint/style/noProcessEnv: a child process inherits its parent's environment
      env: { ...process.env, DATABASE_URL: `sqlite:${database}` },
      encoding: "utf8",
    })
    if (status !== 0) throw new Error(`${name} failed (${status ?? error}): ${stderr}`)
    return { seconds: (performance.now() - startedAt) / 1000, cpuSeconds: cpuSecondsIn(stdout) }
  }

  const importOnce = (contestant: Contestant): Taken => {
    for (const more of ["", "-wal", "-shm"]) rmSync(`${database}${more}`, { force: true })
    copyFileSync(empty, database)
    const taken = takenBy(contestant)
    using store = new DatabaseSync(database)
    const kept = store.prepare("SELECT count(*) AS kept FROM pets").get()?.["kept"]
    if (kept !== animals) throw new Error(`${contestant.name} stored ${kept} pets, not ${animals}`)
    return taken
  }

  /** Measures all contestants in interleaved rounds. The first contestant is the baseline for the rest. */
  const rowsOf = (contestants: ReadonlyArray<Contestant>, measure: (contestant: Contestant) => Taken) => {
    const results = contestants.map((contestant) => ({ contestant, taken: [] as Array<Taken> }))
    for (let round = 0; round < rounds; round += 1) {
      for (const { contestant, taken } of results) taken.push(measure(contestant))
    }
    const [baseline] = results
    return results.map(({ contestant: { name }, taken }) => {
      const against = (of: (taken: Taken) => number) =>
        median(taken.map((own, round) => of(own) / of(baseline?.taken[round] ?? own))).toFixed(2)
      return [
        name,
        Math.round(animals / median(taken.map(({ seconds }) => seconds))),
        against(({ seconds }) => seconds),
        against(({ cpuSeconds }) => cpuSeconds),
      ]
    })
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

  const rows = [...rowsOf(imports, importOnce), ...rowsOf(exports, takenBy)]
  say(`${conditions(`${animals} animals`, `medians of ${rounds} interleaved rounds`)}\n`)
  say(table(["import or export", "animals/s", "time, × sqlite3", "processor time, × sqlite3"], rows))
}
