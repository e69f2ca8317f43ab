/** What clients that pipeline requests and read no response do to a server: its peak memory, and how long a health check waits. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { connect, type Socket } from "node:net"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { Client } from "@petstore/harness/client"
import { environmentOf } from "@petstore/harness/command"
import { say } from "@petstore/harness/command-line"
import { startService } from "@petstore/harness/serving"
import { conditions, inRounds, makeFolder, median, type Options, table, tell } from "./session.ts"

interface Running {
  readonly origin: string
  readonly pid: number
  readonly key?: string
  readonly stop: () => Promise<unknown>
}

interface Attack {
  readonly server: string
  readonly target: string
  /** The path whose response is awaited during the attack. */
  readonly health: string
  readonly callers: number
  readonly bytesOfCaller: number
  readonly start: () => Promise<Running>
}

interface Figures {
  readonly beforeMib: number
  readonly peakMib: number
  readonly longestMillis: number
}

const many = { callers: 200, bytesOfCaller: 65_536 } as const
const long = { callers: 60, bytesOfCaller: 3_900_000 } as const

const pagePath = "/v1/pets?limit=20"

/** How long one attack lasts, in ms. */
const attackMillis = 6_000

/** The responses of the small servers: a page of text, and a list as long as the service's page of 20 pets. */
const docsBytes = 70_000
const petsBytes = 1_200

const listeners: Readonly<Record<string, string>> = {
  "plain Node": `import { createServer } from "node:http"
    createServer((request, response) => response.end(bodies[request.url])).listen(0, "127.0.0.1", listening)`,
  Koa: `import Koa from "koa"
    const app = new Koa()
    app.silent = true
    app.use((ctx) => { ctx.body = bodies[ctx.url] })
    app.listen(0, "127.0.0.1", listening)`,
  Express: `import express from "express"
    const app = express()
    app.use((request, response) => response.send(bodies[request.url]))
    app.listen(0, "127.0.0.1", listening)`,
  Fastify: `import Fastify from "fastify"
    const app = Fastify()
    app.get("/*", (request) => bodies[request.url])
    await app.listen({ port: 0, host: "127.0.0.1" })
    listening.call(app.server)`,
  "bounded-http": `import { createBoundedServer } from "@petstore/bounded-http"
    createBoundedServer((request, response) => response.end(bodies[request.url]), { alwaysServe: ["/healthz"] })
      .listen(0, "127.0.0.1", listening)`,
}

/** The service's flags (apps/http/bin/petstore), with which V8 keeps less garbage. */
const serviceFlags = [
  "--max-semi-space-size=8",
  "--heap-growing-percent=50",
  "--no-parallel-scavenge",
  "--no-allocation-site-pretenuring",
]

const startListener = async (listener: string, flags: ReadonlyArray<string>): Promise<Running> => {
  const program = `const bodies = { "/healthz": "ok", "/docs": "x".repeat(${docsBytes}), [${JSON.stringify(pagePath)}]: "x".repeat(${petsBytes}) }
    function listening() { console.log("http://127.0.0.1:" + this.address().port) }
    ${listener}`
  const child = spawn(process.execPath, [...flags, "--input-type=module", "--eval", program], {
    cwd: import.meta.dirname,
    stdio: ["ignore", "pipe", "inherit"],
  })
  const exited = once(child, "exit")
  const kill = (): unknown => child.kill("SIGKILL")
  process.once("exit", kill)
  const [line] = await once(child.stdout, "data")
  const stop = (): Promise<unknown> => {
    process.off("exit", kill)
    kill()
    return exited
  }
  return { origin: String(line).trim(), pid: child.pid ?? 0, stop }
}

/** The pets in a service's store: more than a page. */
const pets = 100

/** Starts a command of a checkout on a new store. The operator's listener is one that the service opens too. */
const startCommand = async (checkout: string, command: "petstore" | "quickstart", isForOperator = false): Promise<Running> => {
  const folder = makeFolder("flood")
  const environment = environmentOf({
    DATABASE_URL: `sqlite:${join(folder, "pets.db")}`,
    LOG_LEVEL: "silent",
    ...(isForOperator && { ADMIN_PORT: "0" }),
  })
  const program = join(checkout, command === "petstore" ? "apps/http/bin/petstore" : "apps/quickstart/bin/petstore-quickstart")
  const service = await startService(environment, { program, args: command === "petstore" ? ["serve"] : [] })
  const kill = (): unknown => service.signal("SIGKILL")
  process.once("exit", kill)
  const { origin, pid } = service
  const stop = (): Promise<unknown> => {
    process.off("exit", kill)
    return service.kill()
  }
  if (isForOperator) {
    const [, metrics = ""] = /Metrics are at (\S+)/.exec(service.printed()) ?? []
    return { origin: new URL(metrics).origin, pid, stop }
  }
  await service.until(() => service.printed().includes("Bearer "), "its API key")
  const { key, baseUrl } = service
  if (command === "quickstart") return { origin, pid, key, stop }
  using client = new Client(baseUrl, key)
  for (let pet = 0; pet < pets; pet += 1)
    await client.send({ method: "POST", body: JSON.stringify({ name: `pet ${pet}`, categoryId: 1 }) })
  return { origin, pid, key, stop }
}

/** The same three attacks on every server. The longest response of a server may have another path. */
const attacksOn = (
  server: Pick<Attack, "server" | "start"> & Partial<Pick<Attack, "health">>,
  [docs, page] = ["/docs", pagePath],
): ReadonlyArray<Attack> => [
  { health: "/healthz", ...server, ...many, target: docs },
  { health: "/healthz", ...server, ...many, target: "/healthz" },
  { health: "/healthz", ...server, ...long, target: page },
]

const attacksOnListener = (server: string, listener: string, flags: ReadonlyArray<string> = []): ReadonlyArray<Attack> =>
  attacksOn({ server, start: () => startListener(listener, flags) })

const attacksOnCommands = (checkout: string, suffix = ""): ReadonlyArray<Attack> => [
  ...attacksOn({ server: `service${suffix}`, start: () => startCommand(checkout, "petstore") }),
  ...attacksOn({ server: `quickstart${suffix}`, health: "/messages", start: () => startCommand(checkout, "quickstart") }),
  ...attacksOn({ server: `operator's listener${suffix}`, start: () => startCommand(checkout, "petstore", true) }, [
    "/metrics",
    "/metrics",
  ]),
]

/** What is compared with the service sends what the service does: a docs page of 238 kB, kept as bytes that all responses share. */
const alone = "bounded-http, the service's flags and page"
const aloneListener = `bodies["/docs"] = Buffer.alloc(238_000, "x")
    ${listeners["bounded-http"]}`
const formerSuffix = " before"

/** Whether the second is the same attack on the other checkout, where bounded-http alone is compared with the service. */
const isFormer = (attack: Attack, other: Attack): boolean =>
  other.server === (attack.server === alone ? "service" : attack.server) + formerSuffix &&
  other.target === attack.target &&
  other.callers === attack.callers

/** Sends requests until the server takes no more, and reads nothing. */
const flood = async (url: URL, bytes: Buffer): Promise<Socket> => {
  const socket = connect(Number(url.port), url.hostname).pause()
  socket.on("error", () => {})
  await once(socket, "connect")
  socket.write(bytes)
  return socket
}

/** The most memory that a process has used so far. */
const peakMebibytes = (pid: number): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024

const measure = async ({ server, start, target, health, callers, bytesOfCaller }: Attack): Promise<Figures> => {
  const { origin, pid, key, stop } = await start()
  const waitForHealth = async (): Promise<number> => {
    const askedAt = performance.now()
    const response = await fetch(`${origin}${health}`, { signal: AbortSignal.timeout(30_000) }).catch(() => undefined)
    await response?.text().catch(() => {})
    return performance.now() - askedAt
  }
  for (let turn = 0; turn < 20; turn += 1) await waitForHealth()
  const beforeMib = peakMebibytes(pid)
  const authorization = key === undefined ? "" : `Authorization: Bearer ${key}\r\n`
  const request = `GET ${target} HTTP/1.1\r\nHost: a\r\n${authorization}\r\n`
  const bytes = Buffer.from(request.repeat(Math.ceil(bytesOfCaller / request.length)))
  const floods = Promise.all(Array.from({ length: callers }, () => flood(new URL(origin), bytes)))
  let longestMillis = 0
  const endsAt = performance.now() + attackMillis
  while (performance.now() < endsAt) {
    longestMillis = Math.max(longestMillis, await waitForHealth())
    await sleep(50)
  }
  const peakMib = peakMebibytes(pid)
  for (const socket of await floods) socket.destroy()
  await stop()
  tell(`${server}, ${callers} × GET ${target}: ${Math.round(peakMib)} MiB, ${Math.round(longestMillis)} ms`)
  return { beforeMib, peakMib, longestMillis }
}

const spread = (values: ReadonlyArray<number>): string =>
  `${Math.round(median(values))} (${Math.round(Math.min(...values))} to ${Math.round(Math.max(...values))})`

/** The median of the ratios to another server in each round, and in how many rounds the figure was at most the other's. */
const against = (figures: ReadonlyArray<Figures>, others: ReadonlyArray<Figures> | undefined, figure: keyof Figures): string => {
  if (others === undefined) return ""
  const ratios = figures.map((one, round) => one[figure] / (others[round]?.[figure] ?? Number.NaN))
  return `${median(ratios).toFixed(2)} (${ratios.filter((ratio) => ratio <= 1).length} of ${ratios.length})`
}

export const run = async ({ rounds, before, only = "" }: Options): Promise<void> => {
  const own = [
    ...attacksOnListener(alone, aloneListener, serviceFlags),
    ...attacksOnCommands(join(import.meta.dirname, "../../..")),
  ]
  const attacks = (
    before === undefined
      ? [...Object.entries(listeners).flatMap(([server, listener]) => attacksOnListener(server, listener)), ...own]
      : attacksOnCommands(before, formerSuffix).flatMap((former) => [former, ...own.filter((one) => isFormer(one, former))])
  ).filter(({ server, target, callers }) => new RegExp(only).test(`${server} ${callers} ${target}`))
  // Each measurement starts a new process, so no round warms up.
  const results = await inRounds(Number(rounds ?? 3), attacks, measure, 1)
  const rows = [...results].map(([attack, figures]) => {
    const { server, target, callers, bytesOfCaller } = attack
    const [, former] = [...results].find(([other]) => isFormer(attack, other)) ?? []
    const peaks = figures.map(({ peakMib }) => peakMib)
    const longest = figures.map(({ longestMillis }) => longestMillis)
    return [
      server,
      `${callers} × ${bytesOfCaller / 1_000} kB of GET ${target}`,
      Math.round(median(figures.map(({ beforeMib }) => beforeMib))),
      spread(peaks),
      spread(longest),
      ...(before === undefined ? [] : [against(figures, former, "peakMib"), against(figures, former, "longestMillis")]),
    ]
  })
  const compared = before === undefined ? [] : ["peak ÷ before (rounds ≤ 1)", "health check ÷ before (rounds ≤ 1)"]
  say(`${conditions("medians of the rounds (least to most)")}\n`)
  say(table(["server", "attack", "MiB before it", "peak MiB", "longest health check, ms", ...compared], rows))
}
