/**
 * Compares docs/reference with the program that the pages describe. `npm test -- reference -u` writes the pages anew.
 */
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { failureGuide, failures } from "@petstore/core/contract"
import { expect, it } from "vitest"
import { apiCommands } from "../src/cli/api.js"
import type { Command } from "../src/cli/command.js"
import { commands } from "../src/cli/commands.js"
import { exitCodes } from "../src/cli/program.js"
import { settings } from "../src/config.js"
import { startMetrics } from "../src/telemetry/metrics.js"
import { requestLog } from "../src/telemetry/request-log.js"

const root = join(import.meta.dirname, "../../..")

const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n")

const code = (text: string): string => `\`${text}\``

/** A page of docs/reference. */
const page = (title: string, parts: ReadonlyArray<string>): string => [`# ${title}`, ...parts].join("\n\n").concat("\n")

const isPage = (name: string, text: string): Promise<void> =>
  expect(text).toMatchFileSnapshot(join(root, "docs/reference", `${name}.md`))

it("docs/reference/settings.md has every setting with its default, its values and its meaning", () =>
  isPage(
    "settings",
    page("Settings", [
      "Settings are environment variables; an empty variable counts as absent. The service does not start with invalid settings, and the message lists all of them. A `production` service also refuses to start in these cases:",
      "- the store is in memory, or accepts a development key;\n- other machines can reach `HOST`, and `TLS_IN_FRONT` is not `on`;\n- a connection to PostgreSQL on another machine is not encrypted, and the URL does not say `sslmode=disable`;\n- PostgreSQL may lose acknowledged animals: `fsync` or `synchronous_commit` is off, `synchronous_commit` is `local` although there are synchronous standbys, or one of the store's tables is `UNLOGGED`. Other deployments only log a warning. If `synchronous_commit` is weakened later, a running service keeps the safe value on its direct connections.",
      table(
        ["variable", "default", "values", "meaning"],
        Object.values(settings).map(({ variable, default: value, expected, meaning }) => [
          code(variable),
          value === "" ? "none" : code(value),
          expected,
          meaning,
        ]),
      ),
      "## PostgreSQL with TLS",
      `The parameters of a \`postgres://\` URL are \`sslmode\`, \`sslrootcert\`, \`sslcert\`, \`sslkey\`, \`host\`, \`port\`, \`user\`, \`password\`, \`options\` and \`application_name\`. Any other, and a value that does not exist, is refused, because a misspelt \`sslmode\` would send pets in clear text. Their meaning is libpq's ([decision 0055](../decisions/0055-the-way-to-the-database.md)):`,
      table(
        ["`sslmode`", "TLS", "the server's certificate"],
        [
          ["`disable`", "never", ""],
          ["`prefer` (default)", "if the server has it", "not checked"],
          ["`require`", "always", "checked only if `sslrootcert` names a file"],
          ["`verify-ca`", "always", "must be signed by one in the file `sslrootcert`"],
          [
            "`verify-full`",
            "always",
            "also has the server's name; without `sslrootcert`, or with `sslrootcert=system`, the system's certificates count",
          ],
        ],
      ),
      "If a connection to another machine is not encrypted, a start and `petstore doctor` warn, and the metric `petstore_store_plain_text` is 1. `production` refuses such a connection unless the URL says `sslmode=disable`.",
    ]),
  ))

const usage = ({ name, args, options }: Command): string => {
  const words = Object.values(options).map(({ flags, isRequired }) => (isRequired ? flags : `[${flags}]`))
  return [name, ...args.map((argument) => `<${argument}>`), ...words]
    .join(" ")
    .replace(/<([a-z]+)\?>/g, (_, argument) => `[${argument.toUpperCase()}]`)
    .replace(/<([a-z-]+)(\.\.\.)?>/g, (_, argument, many = "") => `${argument.toUpperCase()}${many}`)
}

const stores = {
  makes: "Creates the store if it does not exist.",
  opens: "The store must exist.",
  none: "Does not use the store.",
}

/** Details as Markdown: indented lines of the help are a block. */
const details = (text: string): string =>
  text.replace(/(?:^ {2}.*\n?)+/gm, (block) => `\`\`\`text\n${block.trimEnd()}\n\`\`\`\n`).trim()

const section = (command: Command): string => {
  const options = Object.values(command.options).map(({ flags, does, choices }) => [
    code(flags),
    choices === undefined ? does : `${does}: ${choices.join(", ")}`,
  ])
  const parts = [
    `## ${command.name}`,
    `${code(`petstore ${usage(command)}`)}: ${command.does}. ${stores[command.store]}${command.hasJson ? "" : " Has no `--json`."}`,
    ...(options.length > 0 ? [table(["option", "does"], options)] : []),
    ...(command.details === "" ? [] : [details(command.details)]),
  ]
  return parts.join("\n\n")
}

it("docs/reference/commands.md has every command with its options", () =>
  isPage(
    "commands",
    page("Commands", [
      "Every command accepts `--help`, and all except those marked accept `--json`, which prints one JSON value on standard output. In the repository, type `npx --no petstore …`, for example `npx --no petstore help export`.",
      table(
        ["exit code", "means"],
        Object.values(exitCodes).map((row) => [String(row.code), row.meaning]),
      ),
      "Every command names its store on standard error, with the password masked. Commands replace a file only with `--replace`, and create no folders except that of `backup --into` ([decision 0026](../decisions/0026-what-a-command-may-make.md)). `accounts`, `keys`, `import` and `export` refuse an in-memory store, because each process has its own.",
      ...commands.map(section),
      "## The API's operations (experimental)",
      "Each operation of the API is a command too. It calls the service that `PETSTORE_URL` names (`http://127.0.0.1:3000`) with the key in `PETSTORE_API_KEY`. `petstore pets create --help` shows its options.",
      table(
        ["command", "does"],
        apiCommands.map((row) => [
          code(`petstore ${[row.name, ...row.args.map((argument) => argument.toUpperCase())].join(" ")}`),
          row.does,
        ]),
      ),
    ]),
  ))

it("docs/reference/metrics.md has every metric of the service, and every alert", async () => {
  const { text } = await (await startMetrics()).text()
  const helps = new Map([...text.matchAll(/^# HELP (\S+) (.*)$/gm)].map(([, name = "", help = ""]) => [name, help]))
  const metrics = [...text.matchAll(/^# TYPE (petstore_\S+) (\S+)$/gm)].map(([, name = "", type = ""]) => [
    code(name),
    type,
    helps.get(name) ?? "",
  ])
  const rules = readFileSync(join(root, "tools/deploy/prometheus/alerts.yaml"), "utf8").split("- alert: ").slice(1)
  const alerts = rules.map((rule) => [
    code(/^\w+/.exec(rule)?.[0] ?? ""),
    /severity: (\w+)/.exec(rule)?.[1] ?? "",
    /action: (["'])(.*)\1$/m.exec(rule)?.[2]?.replaceAll('\\"', '"') ?? "",
  ])
  expect(alerts.flat()).not.toContain("")
  await isPage(
    "metrics",
    page("Metrics and alerts", [
      "`GET /metrics` on `ADMIN_PORT` serves these metrics, and `nodejs_*` and `process_*`: event loop, garbage collector, memory, CPU time. With `WORKERS` above 1, every series except those of the store (`petstore_pets`, `petstore_keys_expiring`, `petstore_store_bytes`, the newest backup's) has the label `worker`, a number that no later worker gets again: sum over it. While a worker does not respond, `/metrics` takes 5 s and fails. All services that share a store report the same `petstore_pets`: take the `max`. Concurrent requests share one result; the next is computed at least 250 ms later.",
      table(["metric", "type", "shows"], metrics.toSorted()),
      "## Alerts",
      "[alerts.yaml](../../tools/deploy/prometheus/alerts.yaml) defines them.",
      table(["alert", "severity", "do"], alerts),
    ]),
  )
})

/** The messages that the program writes to its log at the level `warn` or above, as the source spells them. */
const logged = globSync("apps/http/src/**/*.ts", { cwd: root })
  .toSorted()
  .flatMap((file) => {
    const source = readFileSync(join(root, file), "utf8")
    return [
      ...source.matchAll(/(?:logger\.(warn|error|fatal)\(|logLine\("(warn|error|fatal)", )(?:\{[^}]*\},\s*)?(["`])(.+?)\3/gs),
    ].map(([, ofLogger, ofLine, , message = ""]) => [ofLogger ?? ofLine ?? "", message.replaceAll(/\$\{[^}]+\}/g, "…")])
  })

/** The members of a request's line. The test compares them with a line. */
const members = {
  level: "`info`",
  time: "when the response ended",
  pid: "the process",
  hostname: "the machine",
  requestId: "the response's `X-Request-Id`",
  accountId: "the account; absent if no key was accepted",
  keyId: "the API key; absent if none was accepted",
  operation: "the operation; `other` stands for unknown paths",
  method: "the method; empty if the request could not be read",
  status: "the status; absent if the client disconnected before its response",
  durationMillis: "from the head of the request to the end of the response, without the time that it waited for changes",
  bytes: "the length of the response's body",
  made: "the identifier that a creation assigned",
  client: "the client's address, with `PROXY_PROTOCOL_FROM`",
  traceId: "the trace; absent without `traceparent`",
  path: "the path, without the query; an API key in it is masked",
  msg: "`answered`, or that the client disconnected",
}

it("docs/reference/messages.md has every error code, every member of a request's log line, and the other lines of the log", () => {
  expect(logged.length).toBeGreaterThan(5)
  const lines: Array<string> = []
  requestLog((line) => void lines.push(line), { pid: 10_461, hostname: "vm" }, true).ended({
    requestId: "5c1f…",
    apiKey: { id: "key_…", accountId: "acc_…" },
    operation: "createPet",
    isDeprecated: false,
    made: 7n,
    method: "POST",
    path: "/v1/pets",
    status: 201,
    durationMillis: 1.204,
    bodyBytes: 231,
    isAnswered: true,
    traceId: "0af7…",
    clientAddress: "192.0.2.7",
  })
  const line = lines.join("").replace(/(?<="time":")[^"]+/, "2026-11-20T23:22:32.401Z")
  expect(Object.keys(JSON.parse(line)).toSorted()).toEqual(Object.keys(members).toSorted())
  return isPage(
    "messages",
    page("Error codes and log lines", [
      "## Error codes",
      "The member `code` of an Error object.",
      table(
        ["status", "code", "means", "do"],
        Object.entries(failures).map(([name, { status }]) => {
          const { meaning, remedy } = failureGuide[name as keyof typeof failureGuide]
          return [String(status), code(name), meaning, remedy]
        }),
      ),
      "## Log lines",
      "One line of JSON on standard output for each request:",
      `\`\`\`json\n${line}\`\`\``,
      table(
        ["member", "is"],
        Object.entries(members).map(([name, is]) => [code(name), is]),
      ),
      "Headers, bodies and query strings are never logged, and an API key in a path is masked (`pst_live_***`). At any `LOG_LEVEL`, the first line states the service's address, and a warning follows if no API key is valid yet. If the start fails, a line at level `fatal` on standard error says why. Other lines:",
      table(["level", "message"], logged),
    ]),
  )
})
