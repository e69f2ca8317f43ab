/** Backs up a PostgreSQL store by the server's own `pg_dump`, reads the dump again, and saves a list of the keys beside it. */
import { spawn } from "node:child_process"
import { createHash, randomBytes } from "node:crypto"
import { once } from "node:events"
import { createReadStream, rmSync } from "node:fs"
import { open, readFile } from "node:fs/promises"
import { basename } from "node:path"
import { createInterface } from "node:readline"
import { pipeline } from "node:stream/promises"
import { privateMode, publishFile, splitAddress } from "@petstore/storage/internal"
import { Effect } from "effect"
import type { Config } from "../config.js"
import { tryWriting, writeWholeFile } from "./files/target.js"
import { listKeys } from "./keys.js"
import { CommandFailed, messageOf, provideServices } from "./program.js"

/** A connection in the variables of libpq, because other users can read the arguments of a process. */
const variablesOf = (url: string): Readonly<Record<string, string>> => {
  const { plainUrl, tls } = splitAddress(url)
  const { username, password, hostname, port, pathname, searchParams } = new URL(plainUrl)
  const given = {
    PGUSER: searchParams.get("user") ?? decodeURIComponent(username),
    PGPASSWORD: searchParams.get("password") ?? decodeURIComponent(password),
    PGHOST: searchParams.get("host") ?? hostname.replace(/^\[(.*)\]$/, "$1"),
    PGPORT: searchParams.get("port") ?? port,
    PGDATABASE: decodeURIComponent(pathname.slice(1)),
    PGOPTIONS: searchParams.get("options") ?? "",
    PGSSLMODE: tls.mode,
    PGSSLROOTCERT: tls.rootCertificates ?? "",
    PGSSLCERT: tls.certificate ?? "",
    PGSSLKEY: tls.key ?? "",
  }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ""))
}

const missing = (program: string): string =>
  `${program} is not installed here. Install PostgreSQL's client programs, of the server's version or newer, and run the command again.`

/** Runs one of PostgreSQL's programs, and gives its output to `read`. Fails with what the program says. */
const runProgram = <A>(
  program: string,
  args: ReadonlyArray<string>,
  variables: Readonly<Record<string, string>>,
  read: (lines: AsyncIterable<string>) => Promise<A>,
): Effect.Effect<A, CommandFailed> =>
  Effect.tryPromise({
    try: async (signal) => {
      // biome-ignore lint/style/noProcessEnv: PATH, and what else the program needs
      const env = { ...process.env, ...variables }
      const child = spawn(program, args, { env, signal, stdio: ["ignore", "pipe", "pipe"] })
      let said = ""
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        said = (said + text).slice(-2_000)
      })
      const ended = once(child, "close")
      const [result, [code]] = await Promise.all([read(createInterface({ input: child.stdout })), ended])
      if (code !== 0) throw new Error(said.trim().replaceAll("\n", " ") || `${program} ended with the code ${code}`)
      return result
    },
    catch: (thrown) => {
      const isMissing = thrown instanceof Error && "code" in thrown && thrown.code === "ENOENT"
      return new CommandFailed({
        reason: isMissing ? missing(program) : `${program}: ${thrown instanceof Error ? thrown.message : thrown}`,
      })
    },
  })

/** Counts the rows of the table `pets` in a dump as SQL, which has a line for each row, and a line `\.` at the end. */
const countPets = async (lines: AsyncIterable<string>): Promise<number> => {
  let [pets, isInside] = [0, false]
  for await (const line of lines) {
    if (line === "\\.") isInside = false
    else if (isInside) pets += 1
    else isInside = /^COPY \S*\bpets \(/.test(line)
  }
  return pets
}

/** Reads a whole dump, as a restore does. Returns the number of pets. */
const readDump = (file: string): Effect.Effect<number, CommandFailed> =>
  runProgram("pg_restore", ["--file=-", file], {}, countPets)

/** The files beside a dump: the list of keys, and the checksum as `sha256sum --check` reads it. */
const listBeside = (dump: string): string => `${dump}.keys.json`
const sumBeside = (dump: string): string => `${dump}.sha256`

export const besideDump = (dump: string): ReadonlyArray<string> => [listBeside(dump), sumBeside(dump)]

const checksumOf = async (file: string): Promise<string> => {
  const hash = createHash("sha256")
  await pipeline(createReadStream(file), hash)
  return hash.digest("hex")
}

/** Compares a dump with the checksum beside it, and returns that. */
export const verifyDump = (file: string): Effect.Effect<string, CommandFailed> =>
  Effect.tryPromise({
    try: async () => {
      const [expected = ""] = (await readFile(sumBeside(file), "utf8")).split(" ")
      if (expected !== (await checksumOf(file))) throw new Error("its content is not what was backed up: it is damaged")
      return expected
    },
    catch: (thrown) => new CommandFailed({ reason: `${file} cannot be verified: ${messageOf(thrown)}.` }),
  })

const drain = async (lines: AsyncIterable<string>): Promise<void> => {
  for await (const _ of lines);
}

/** A command's file with a temporary name, which only its owner can read. */
const makePartial = async (partial: string): Promise<void> => (await open(partial, "wx", privateMode)).close()

const syncFile = async (file: string): Promise<void> => {
  const handle = await open(file)
  await handle.sync().finally(() => handle.close())
}

const writeBeside = (file: string, text: string) =>
  writeWholeFile(file, { what: file, replace: true }, (write) => tryWriting(file, () => write(text)))

/** Dumps the store to a file, which gets its name once it has been read again, with the keys as they are after that. */
export const dumpStore = (config: Config, url: string, file: string, replace: boolean) => {
  const list = listBeside(file)
  const partial = `${file}.${process.pid}.unfinished`
  const keysNow = provideServices(config, listKeys, { readOnly: true })
  const dumped = Effect.gen(function* () {
    // Before the dump too, because opening the store refuses a connection that is not encrypted.
    yield* keysNow
    yield* tryWriting(file, () => makePartial(partial))
    yield* runProgram("pg_dump", ["--format=custom", "--no-password", `--file=${partial}`], variablesOf(url), drain)
    const pets = yield* readDump(partial)
    const keys = yield* keysNow
    const checksum = yield* tryWriting(file, async () => {
      await syncFile(partial)
      return checksumOf(partial)
    })
    yield* writeBeside(list, `${JSON.stringify(keys)}\n`)
    yield* writeBeside(sumBeside(file), `${checksum}  ${basename(file)}\n`)
    const isNamed = yield* tryWriting(file, () => publishFile(partial, file, { replace }))
    return isNamed ? { pets, checksum, list } : yield* new CommandFailed({ reason: `${file} already exists; pass --replace.` })
  })
  return Effect.ensuring(
    dumped,
    Effect.sync(() => rmSync(partial, { force: true })),
  )
}

/** Restores a dump into a new database of the same server, which is dropped at the end. Returns the database's URL. */
export const restoreDump = (url: string, file: string) => {
  const name = `petstore_try_${randomBytes(6).toString("hex")}`
  const variables = variablesOf(url)
  const temporary = new URL(url)
  temporary.pathname = name
  const make = runProgram("createdb", ["--no-password", "--template=template0", name], variables, drain)
  const drop = runProgram("dropdb", ["--no-password", "--force", name], variables, drain)
  const options = ["--no-password", "--no-owner", "--exit-on-error", "--single-transaction", `--dbname=${name}`]
  return Effect.acquireRelease(make, () => Effect.orDie(drop)).pipe(
    Effect.zipRight(runProgram("pg_restore", [...options, file], variables, drain)),
    Effect.as(temporary.href),
  )
}
