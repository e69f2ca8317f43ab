/** The README's commands, run in its order and compared with the answers it shows. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { afterAll, expect, it } from "vitest"

const root = fileURLToPath(new URL("../../..", import.meta.url))
const readme = readFileSync(join(root, "README.md"), "utf8")

/** A block of commands, and the block with their answer if one follows at once. */
const examples = [...readme.matchAll(/```sh\n(?<commands>.*?)```\n(?:```(?:json|text)\n(?<answer>.*?)```)?/gs)].map(
  ({ groups }) => ({
    commands: (groups?.["commands"] ?? "")
      .trimEnd()
      .split("\n")
      .map((line) => line.replace(/ +#.*$/, "")),
    answer: groups?.["answer"],
  }),
)

const folder = mkdtempSync(join(tmpdir(), "petstore-readme-"))
const servers: Array<ChildProcess> = []
/** Where the README says a server is, and where it is. */
const places = new Map<string, string>()
let key = ""

afterAll(async () => {
  await Promise.all(
    servers.map((server) => {
      const closed = once(server, "close")
      if (server.pid !== undefined) process.kill(-server.pid, "SIGKILL")
      return closed
    }),
  )
  rmSync(folder, { recursive: true, force: true })
})

const run = (command: string, args: ReadonlyArray<string>, isServer = false) =>
  spawn(command, args, {
    cwd: folder,
    detached: isServer,
    env: {
      // biome-ignore lint/style/noProcessEnv: a child process needs the settings of npm
      ...process.env,
      // biome-ignore lint/style/noProcessEnv: the commands of the workspaces come first
      PATH: `${join(root, "node_modules/.bin")}:${process.env["PATH"]}`,
      PORT: "0",
      KEY: key,
      LOG_LEVEL: "silent",
    },
    stdio: ["ignore", "pipe", "inherit"],
  })

/** Starts a server by its npm script, without building again what is under test. */
const startByNpm = async (script: string, shownPlace: string) => {
  const server = run("npm", ["run", script, "--silent", "--ignore-scripts", "--prefix", root], true)
  servers.push(server)
  let said = ""
  for await (const chunk of server.stdout ?? []) {
    said += chunk
    const place = /http:\/\/(127\.0\.0\.1:[0-9]+)/.exec(said)?.[1]
    if (place !== undefined && (key !== "" || /Bearer (\w+)/.test(said))) {
      places.set(shownPlace, place)
      break
    }
  }
  key ||= /Bearer (\w+)/.exec(said)?.[1] ?? ""
}

const answerOf = async (command: string): Promise<string> => {
  let here = command.replaceAll("npx --no petstore", "petstore")
  for (const [shown, place] of places) here = here.replaceAll(shown, place)
  const child = run("sh", ["-c", here])
  const [answer, [exitCode]] = await Promise.all([text(child.stdout ?? []), once(child, "close")])
  expect([command, exitCode]).toEqual([command, 0])
  return answer
}

/** What a command of the README stands for here. The test command is what runs now. */
const perform = async (command: string): Promise<string> => {
  if (command === "npm ci && npm test") return ""
  if (command === "npm ci && npm start") await startByNpm("start", "127.0.0.1:3000")
  else if (command === "npm run quickstart") await startByNpm("quickstart", "127.0.0.1:3001")
  else return answerOf(command)
  return ""
}

/** In an answer of the README `…` stands for what is different each time. */
const patternOf = (answer: string): RegExp =>
  new RegExp(
    `^${answer
      .trimEnd()
      .replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
      .replaceAll("…", "\\S+")}$`,
  )

it("shows commands that work and the answers they give", async () => {
  expect(examples.length).toBeGreaterThanOrEqual(5)
  for (const { commands, answer } of examples) {
    let answers = ""
    for (const command of commands) answers += await perform(command)
    if (answer !== undefined) expect(answers.trimEnd()).toMatch(patternOf(answer))
  }
})

it("names files that exist", () => {
  for (const [, path = ""] of readme.matchAll(/\]\((?!http)([^)#]+)/g)) expect(() => readFileSync(join(root, path))).not.toThrow()
})

// Right behind the name, npx takes an option for its own: `npx --no petstore --version` would be the version of npm.
it("types no command that npx would fetch: on npm the name petstore belongs to somebody else", () => {
  const shown = globSync(["*.md", "docs/*.md", "{apps,packages,tools}/*/{README.md,src/**/*.{ts,html},bin/*}"], { cwd: root })
  expect(shown.length).toBeGreaterThan(100)
  expect(
    shown.filter((file) =>
      /npx (?!--no (?:-- )?petstore)(?:\S+ )*petstore|npx --no petstore -/.test(readFileSync(join(root, file), "utf8")),
    ),
  ).toEqual([])
})
