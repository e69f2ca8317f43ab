/** The example of `tools/deploy/nginx.conf` in a real nginx, in front of the service under load. */
import { execFileSync, spawn } from "node:child_process"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { Agent } from "node:https"
import { connect, createServer } from "node:net"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { everyPetId, send, startLoad } from "./load.js"
import { environmentIn, ServiceProcess, temporaryFolder } from "./service-process.js"

const example = readFileSync(join(import.meta.dirname, "../../../tools/deploy/nginx.conf"), "utf8")

/** The same text with one part changed; fails if the example does not have that part any more. */
const changed = (text: string, part: string, to: string): string => {
  expect(text).toContain(part)
  return text.replace(part, to)
}

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1")
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false))
    socket.once("connect", () => socket.destroy())
  })

/** Starts nginx with the example: only the address, the certificate and the upstream are changed. */
const startNginx = async (upstream: string) => {
  const folder = temporaryFolder()
  const port = await freePort()
  const certificate = join(folder, "certificate.pem")
  const key = join(folder, "key.pem")
  const subject = ["-subj", "/CN=petstore.example", "-addext", "subjectAltName=IP:127.0.0.1"]
  execFileSync(
    "openssl",
    [
      "req",
      "-x509",
      "-newkey",
      "ec",
      "-pkeyopt",
      "ec_paramgen_curve:prime256v1",
      "-nodes",
      "-days",
      "1",
      "-keyout",
      key,
      "-out",
      certificate,
      ...subject,
    ],
    { stdio: "pipe" },
  )
  const site = [
    ["listen 443 ssl;", `listen 127.0.0.1:${port} ssl;`],
    ["/etc/petstore/tls/fullchain.pem", certificate],
    ["/etc/petstore/tls/privkey.pem", key],
    ["127.0.0.1:3000", upstream],
  ].reduce((text, [part = "", to = ""]) => changed(text, part, to), example)
  mkdirSync(join(folder, "temporary"))
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${folder}/temporary/${name};`,
  )
  const main = join(folder, "nginx.conf")
  writeFileSync(
    main,
    `daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/error.log;
     events { worker_connections 256; }
     http { access_log ${folder}/access.log; ${paths.join(" ")}\n${site}\n}`,
  )
  const nginx = spawn("nginx", ["-e", join(folder, "error.log"), "-c", main], { stdio: "pipe" })
  const ended = new Promise<string>((resolve) => {
    nginx.once("error", (error) => resolve(`nginx cannot be started: ${error.message}. On Debian: apt-get install nginx-light`))
    nginx.once("exit", (code) => resolve(`nginx ended with ${code}: ${readFileSync(join(folder, "error.log"), "utf8")}`))
  })
  onTestFinished(async () => {
    nginx.kill("SIGQUIT")
    await ended
  })
  let problem: string | undefined
  void ended.then((reason) => {
    problem = reason
  })
  while (!(await accepts(port))) {
    if (problem !== undefined) throw new Error(problem)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const agent = () => new Agent({ keepAlive: true, ca: readFileSync(certificate) })
  return { baseUrl: `https://127.0.0.1:${port}/v1`, agent, log: () => readFileSync(join(folder, "access.log"), "utf8") }
}

const start = async (settings: Readonly<Record<string, string>> = {}) => {
  const service = await ServiceProcess.serving(environmentIn(temporaryFolder(), settings))
  return { service, key: service.key, nginx: await startNginx(new URL(service.baseUrl).host) }
}

describe("behind nginx", () => {
  it("a rolling restart under load gives no 502, no failed request and no lost pet", async () => {
    const { service, key, nginx } = await start({ WORKERS: "2" })
    const load = startLoad(nginx.baseUrl, key, 12, 10, nginx.agent())
    const replaced = () => service.logLines().filter(({ msg }) => msg === "every worker was replaced").length
    for (const round of [1, 2, 3]) {
      const answered = load.answered()
      await service.until(() => load.answered() > answered + 100, "load")
      service.signal("SIGHUP")
      await service.until(() => replaced() === round, "the workers to be replaced")
    }
    const { created, failures } = await load.stop()
    expect(failures).toEqual([])
    const kept = await everyPetId(nginx.baseUrl, key, nginx.agent())
    expect(created.filter((id) => !kept.has(id))).toEqual([])
    expect(nginx.log()).not.toMatch(/" 50[0-9] /)
  })

  it("a body over the limit is refused with an Error object and never reaches the service", async () => {
    const { service, key, nginx } = await start()
    const call = { method: "POST", body: `{"name":"${"x".repeat(70_000)}","categoryId":1}` }
    const { status, headers, body } = await send(nginx.agent(), `${nginx.baseUrl}/pets`, key, call)
    expect(headers["content-type"]).toBe("application/json")
    expect({ status, body: JSON.parse(body) }).toEqual({
      status: 413,
      body: { code: "body_too_large", message: expect.any(String), status: 413 },
    })
    await send(nginx.agent(), `${nginx.baseUrl}/pets`, key)
    await service.until(() => service.logLines().length > 0, "the log")
    expect(service.logLines().map(({ operation }) => operation)).toEqual(["listPets"])
  })

  it("a caller's request identifier reaches both logs' side, and one is made where there is none", async () => {
    const { key, nginx } = await start()
    const given = await send(nginx.agent(), `${nginx.baseUrl}/pets`, key, { headers: { "X-Request-Id": "mine" } })
    expect(given.headers["x-request-id"]).toBe("mine")
    const made = await send(nginx.agent(), `${nginx.baseUrl}/pets`, key)
    expect(made.headers["x-request-id"]).toMatch(/^[0-9a-f]{32}$/)
  })

  it("a service that is away is a 503 with an Error object", async () => {
    const { service, key, nginx } = await start()
    service.signal("SIGTERM")
    await service.ended
    const { status, body } = await send(nginx.agent(), `${nginx.baseUrl}/pets`, key)
    expect({ status, body: JSON.parse(body) }).toEqual({
      status: 503,
      body: { code: "storage_unavailable", message: expect.any(String), status: 503 },
    })
  })
})
