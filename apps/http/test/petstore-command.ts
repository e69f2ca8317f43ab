/** Runs the real `petstore` command on a store of its own. */
import { execFile, spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { onTestFinished } from "vitest"
import { withoutStore } from "./service-process.js"

const petstore = fileURLToPath(new URL("../bin/petstore", import.meta.url))

export interface Ended {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A folder with an empty store, for one test. */
export const openWorkplace = (settings: Readonly<Record<string, string>> = {}) => {
  const folder = mkdtempSync(join(tmpdir(), "petstore-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  // biome-ignore lint/style/noProcessEnv: a child process needs the PATH of this one
  const env = { ...process.env, DATABASE_URL: "sqlite:store.db", ...settings }

  const hear = (args: ReadonlyArray<string>, input = ""): Promise<Ended> =>
    new Promise((resolve) => {
      const child = execFile(petstore, args, { cwd: folder, env, maxBuffer: 2 ** 26 }, (_error, stdout, stderr) =>
        resolve({ exitCode: child.exitCode, stdout, stderr }),
      )
      child.stdin?.end(input)
    })

  return {
    folder,
    path: (name: string) => join(folder, name),

    /** Runs a command to its end, given what it reads from standard input. Its standard error is without the line that names the store. */
    run: async (args: ReadonlyArray<string>, input = ""): Promise<Ended> => {
      const ended = await hear(args, input)
      return { ...ended, stderr: withoutStore(ended.stderr) }
    },

    /** The same with everything that it says. */
    hear,

    /** Starts a command; whatever still runs when the test ends is killed. */
    start: (args: ReadonlyArray<string>, more: Readonly<Record<string, string>> = {}) => {
      const child = spawn(petstore, args, { cwd: folder, env: { ...env, ...more }, stdio: ["ignore", "pipe", "pipe"] })
      onTestFinished(() => void child.kill("SIGKILL"))
      return child
    },
  }
}
