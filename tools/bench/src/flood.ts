/**
 * What clients that pipeline and never read do to a server: `node tools/bench/src/flood.ts [URL PID PATH]`. Without arguments it
 * starts a server on plain Node, on Koa, on Fastify and on bounded-http, and compares them.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { connect, type Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { say } from "@petstore/harness/command-line"

const callers = 200
const bytesOfCaller = 65_536
const seconds = 6

/** The response of each server: as long as the service's docs page. */
const body = "x".repeat(70_000)

const listeners: Readonly<Record<string, string>> = {
  node: `import { createServer } from "node:http"
    createServer((request, response) => response.end(request.url === "/healthz" ? "ok" : body)).listen(0, "127.0.0.1", listening)`,
  koa: `import Koa from "koa"
    const app = new Koa()
    app.silent = true
    app.use((ctx) => { ctx.body = ctx.path === "/healthz" ? "ok" : body })
    app.listen(0, "127.0.0.1", listening)`,
  fastify: `import Fastify from "fastify"
    const app = Fastify()
    app.get("/healthz", () => "ok")
    app.get("/", () => body)
    await app.listen({ port: 0, host: "127.0.0.1" })
    listening.call(app.server)`,
  bounded: `import { createBoundedServer } from "@petstore/bounded-http"
    createBoundedServer((request, response) => response.end(request.url === "/healthz" ? "ok" : body), { alwaysServe: ["/healthz"] })
      .listen(0, "127.0.0.1", listening)`,
}

const start = async (listener: string): Promise<{ readonly child: ChildProcess; readonly url: string }> => {
  const program = `const body = ${JSON.stringify(body)}
    function listening() { console.log("http://127.0.0.1:" + this.address().port) }
    ${listener}`
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
    cwd: import.meta.dirname,
    stdio: ["ignore", "pipe", "inherit"],
  })
  const [line] = await once(child.stdout, "data")
  return { child, url: String(line).trim() }
}

/** Sends requests until the server has taken them all or takes no more, and reads nothing. */
const flood = async (url: URL, path: string, headers: string): Promise<Socket> => {
  const socket = connect(Number(url.port), url.hostname).pause()
  socket.on("error", () => {})
  await once(socket, "connect")
  const request = `GET ${path} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`
  socket.write(request.repeat(Math.ceil(bytesOfCaller / request.length)))
  return socket
}

const mebibytes = (pid: number, field: "VmHWM" | "VmRSS"): number =>
  Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024

/** Returns the peak memory that the flood added, and the longest wait for a health check. */
const attack = async (address: string, pid: number, path: string, health: string, headers = "") => {
  const url = new URL(address)
  for (let turn = 0; turn < 20; turn += 1) await (await fetch(`${url.origin}${health}`)).text()
  const before = mebibytes(pid, "VmRSS")
  const floods = Promise.all(Array.from({ length: callers }, () => flood(url, path, headers)))
  let longest = 0
  const endsAt = performance.now() + seconds * 1_000
  while (performance.now() < endsAt) {
    const askedAt = performance.now()
    await fetch(`${url.origin}${health}`, { signal: AbortSignal.timeout(30_000) }).then(
      (response) => response.text(),
      () => {},
    )
    longest = Math.max(longest, performance.now() - askedAt)
    await sleep(50)
  }
  const peak = mebibytes(pid, "VmHWM")
  for (const socket of await floods) socket.destroy()
  return `${before.toFixed(0)} MiB, then at most ${peak.toFixed(0)} MiB; the longest health check ${longest.toFixed(0)} ms`
}

const [address, pid, path = "/", health = "/healthz", headers = ""] = process.argv.slice(2)
if (address !== undefined && pid !== undefined) say(await attack(address, Number(pid), path, health, headers))
else {
  for (const [name, listener] of Object.entries(listeners)) {
    const { child, url } = await start(listener)
    say(`${name}: ${await attack(url, child.pid ?? 0, "/", "/healthz")}`)
    child.kill("SIGKILL")
  }
}
