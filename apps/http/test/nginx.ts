/** A real nginx, with the example configuration `tools/deploy/nginx.conf` or another one. */
import assert from "node:assert/strict"
import { execFileSync, spawn } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { freePort } from "@petstore/harness/free-port"

const example = readFileSync(join(import.meta.dirname, "../../../tools/deploy/nginx.conf"), "utf8")

/** Returns the text with one part changed. Fails if the example no longer contains that part. */
const changed = (text: string, part: string, to: string): string => {
  assert.ok(text.includes(part), `the example does not contain ${part}`)
  return text.replace(part, to)
}

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1")
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false))
    socket.once("connect", () => socket.destroy())
  })

export interface Nginx {
  /** The base URL of the API, ending in `/v1`. */
  readonly baseUrl: string
  /** The self-signed certificate, in PEM. */
  readonly certificate: string
  /** The lines of the access log so far: one per finished connection. */
  readonly log: () => string
  /** The upstream for connections while the service is down, as named in the log. */
  readonly closedAddress: string
  /** Lets nginx finish requests in flight, and waits until it has exited. */
  readonly stop: () => Promise<void>
}

/** Starts nginx with the example, adapted to this folder, to free ports, and to a user without root. */
export const startNginx = async (
  folder: string,
  upstream: string,
  changes: ReadonlyArray<readonly [part: string, to: string]> = [],
): Promise<Nginx> => {
  const [port, closedPort] = [await freePort(), await freePort()]
  const certificate = join(folder, "certificate.pem")
  const key = join(folder, "key.pem")
  const subject = ["-subj", "/CN=petstore.example", "-addext", "subjectAltName=IP:127.0.0.1"]
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
  const certify = ["req", "-x509", ...curve, "-days", "1", "-keyout", key, "-out", certificate, ...subject]
  execFileSync("openssl", certify, { stdio: "pipe" })
  const text = [
    // In the foreground, and without root.
    ["user www-data;", "daemon off;"],
    ["access_log off;", temporaryPaths(folder)],
    ["/run/nginx.pid", `${folder}/pid`],
    ["/var/log/nginx/petstore.log", `${folder}/access.log`],
    ["server 127.0.0.1:3080", `server 127.0.0.1:${closedPort}`],
    ["listen 127.0.0.1:3080", `listen 127.0.0.1:${closedPort}`],
    ["listen 443 ssl;", `listen 127.0.0.1:${port} ssl;`],
    ["/etc/petstore/tls/fullchain.pem", certificate],
    ["/etc/petstore/tls/privkey.pem", key],
    ["127.0.0.1:3000", upstream],
    ...changes,
  ].reduce((changing, [part = "", to = ""]) => changed(changing, part, to), example)
  return {
    baseUrl: `https://127.0.0.1:${port}/v1`,
    certificate: readFileSync(certificate, "utf8"),
    closedAddress: `127.0.0.1:${closedPort}`,
    log: () => readFileSync(join(folder, "access.log"), "utf8"),
    stop: await runNginx(folder, text, port),
  }
}

/** Starts nginx in the foreground with a configuration, and waits until it listens. Returns the function that stops it. */
const runNginx = async (folder: string, text: string, port: number): Promise<Nginx["stop"]> => {
  const main = join(folder, "nginx.conf")
  writeFileSync(main, text)
  const nginx = spawn("nginx", ["-e", join(folder, "error.log"), "-c", main], { stdio: "pipe" })
  const ended = new Promise<string>((resolve) => {
    nginx.once("error", (error) =>
      resolve(`nginx cannot be started: ${error.message}. On Debian: apt-get install nginx-light libnginx-mod-stream`),
    )
    nginx.once("exit", (code) => resolve(`nginx exited with code ${code}: ${readFileSync(join(folder, "error.log"), "utf8")}`))
  })
  const stop = async () => {
    nginx.kill("SIGQUIT")
    await ended
  }
  let problem: string | undefined
  void ended.then((reason) => {
    problem = reason
  })
  while (!(await accepts(port))) {
    if (problem !== undefined) throw new Error(problem)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return stop
}

const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
const temporaryPaths = (folder: string): string => temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join(" ")

/** Starts nginx as an HTTP proxy with these directives in its `location`. Returns its origin, and the function that stops it. */
export const startHttpProxy = async (folder: string, upstream: string, directives: string) => {
  const port = await freePort()
  const http = `access_log off; ${temporaryPaths(folder)} server { listen 127.0.0.1:${port}; ${directives} }`
  const text = `daemon off; pid ${folder}/pid; events {} http { upstream petstore { server ${upstream}; } ${http} }`
  return { origin: `http://127.0.0.1:${port}`, stop: await runNginx(folder, text, port) }
}
