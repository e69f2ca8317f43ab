/** Follows the README as a newcomer would: runs its commands, and compares their output with the README's. */
import { type ChildProcessByStdio, spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Readable } from "node:stream"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { expect, onTestFinished } from "vitest"

export const root = fileURLToPath(new URL("../../..", import.meta.url))
export const readme = readFileSync(join(root, "README.md"), "utf8")

/** The README's commands, outputs and addresses to open, in order. */
const steps = [...readme.matchAll(/```(?<kind>sh|json|text)\n(?<shown>.*?)```|<(?<page>http:\/\/127[^>]+)>/gs)].map(
  ({ groups }) => ({ kind: groups?.["kind"] ?? "page", shown: (groups?.["shown"] ?? groups?.["page"] ?? "").trimEnd() }),
)

/** In the README's outputs, `…` represents text that differs on every run. */
const patternOf = (response: string): RegExp =>
  new RegExp(
    `^${response
      .replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
      .replaceAll(/…$/gm, ".+")
      .replaceAll("…", "\\S+")}$`,
  )

/** Whether a command runs until it is stopped. */
const isServer = (command: string): boolean => /npm (?:start|run quickstart)$/.test(command)

export interface Reader {
  readonly folder: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Returns the text that the test types instead of a README command. */
  readonly typed: (command: string) => string
}

/** Follows the README to its end. Fails if a command fails or its output differs. */
export const follow = async ({ folder, environment, typed }: Reader): Promise<void> => {
  /** Maps the README's addresses to the real ones on free ports. */
  const places = new Map<string, string>()
  let key = ""
  let output = ""

  const run = (script: string, detached = false): ChildProcessByStdio<null, Readable, null> =>
    spawn("sh", ["-c", script], {
      cwd: folder,
      detached,
      env: { ...environment, PORT: "0", LOG_LEVEL: "silent", PETSTORE_API_KEY: key },
      stdio: ["ignore", "pipe", "inherit"],
    })

  const here = (commands: string): string => {
    let script = commands.replaceAll("pst_dev_…", key)
    for (const [shown, place] of places) script = script.replaceAll(shown, place)
    return script.split("\n").map(typed).join("\n")
  }

  const serve = async (command: string): Promise<void> => {
    const server = run(here(command), true)
    onTestFinished(async () => {
      const closed = once(server, "close")
      if (server.pid !== undefined) process.kill(-server.pid, "SIGKILL")
      await closed
    })
    let said = ""
    for await (const chunk of server.stdout) {
      said += chunk
      if (/http:\S+\n/.test(said) && !(key === "" && !/Bearer \w+[\s\S]*\n\n$/.test(said))) break
    }
    const place = /http:\/\/(127\.0\.0\.1:[0-9]+)/.exec(said)?.[1] ?? ""
    const shownPlace = command.endsWith("quickstart") ? "127.0.0.1:3001" : "127.0.0.1:3000"
    places.set(shownPlace, place)
    key ||= /Bearer (\w+)/.exec(said)?.[1] ?? ""
    // The README omits npm's output.
    output = said
      .slice(Math.max(0, said.indexOf("The pet store")))
      .trimEnd()
      .replaceAll(place, shownPlace)
  }

  const perform = async (commands: string): Promise<void> => {
    const child = run(`set -e\n${here(commands)}`)
    const [response, [exitCode]] = await Promise.all([text(child.stdout), once(child, "close")])
    expect([commands, exitCode]).toEqual([commands, 0])
    output = response.trimEnd()
  }

  let followed = 0
  for (const { kind, shown } of steps) {
    if (kind === "page") expect([shown, (await fetch(here(shown))).status]).toEqual([shown, 200])
    else if (kind === "sh") {
      const [first = "", ...others] = shown.split("\n")
      if (isServer(first)) await serve(first)
      else await perform(shown)
      if (isServer(first) && others.length > 0) await perform(others.join("\n"))
    } else {
      // A start command's output ends with a line to paste. The README shows that line's output next.
      const pasted = /\n\n(?<line>curl .*)$/.exec(output)?.groups?.["line"]
      if (pasted !== undefined && kind === "json") await perform(pasted)
      expect(output).toMatch(patternOf(shown))
    }
    followed += 1
  }
  expect(followed).toBeGreaterThanOrEqual(11)
}
