/** The connection to a real PostgreSQL server with and without TLS, and what is said about one without. */
import { execFileSync } from "node:child_process"
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { networkInterfaces, tmpdir } from "node:os"
import { join } from "node:path"
import { type Environment, environmentOf, run } from "@petstore/harness/command"
import { serve } from "@petstore/harness/testing"
import { newPostgresServer } from "@petstore/test/postgres"
import { Client } from "pg"
import { afterAll, beforeAll, expect, it } from "vitest"

/** A folder that the server's user can enter, with a certificate for the names in `names`. */
const folder = mkdtempSync(join(tmpdir(), "petstore-tls-"))
const [certificate, key, clear] = ["certificate.pem", "key.pem", "clear.pem"].map((name) => join(folder, name)) as [
  string,
  string,
  string,
]

/** An address of this machine that is not a loopback address, as another machine's is. */
const external = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === "IPv4" && !internal)?.address

let encrypted: Awaited<ReturnType<typeof newPostgresServer>>
let plain: Awaited<ReturnType<typeof newPostgresServer>>

const open = async (settings: ReadonlyArray<string>) => {
  const server = await newPostgresServer(["listen_addresses=*", ...settings])
  const client = new Client({ connectionString: server.url })
  await client.connect()
  const { rows } = await client.query("SHOW hba_file")
  const rules = `host all all all scram-sha-256\n`
  execFileSync("sh", ["-c", `printf '%s' "$1" >> "$2"`, "sh", rules, String(rows[0].hba_file)])
  await client.query("SELECT pg_reload_conf()")
  await client.end()
  return server
}

beforeAll(async () => {
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
  for (const [keyFile, file] of [
    [key, certificate],
    [join(folder, "other-key.pem"), clear],
  ] as const)
    execFileSync("openssl", ["req", "-x509", ...curve, "-days", "1", "-keyout", keyFile, "-out", file, ...subject], {
      stdio: "pipe",
    })
  chmodSync(folder, 0o755)
  chmodSync(key, 0o600)
  // The tests of root start the server as this user.
  if (process.getuid?.() === 0) chownSync(key, 65_534, 65_534)
  encrypted = await open(["ssl=on", `ssl_cert_file=${certificate}`, `ssl_key_file=${key}`])
  plain = await open([])
})

afterAll(async () => {
  await encrypted.kill()
  await plain.kill()
  rmSync(folder, { recursive: true, force: true })
})

const at = (server: { readonly url: string }, host: string, parameters = ""): string => {
  const url = new URL(server.url)
  url.hostname = host
  return `${url.href}${parameters}`
}

const on = (url: string, more: Environment = {}) => environmentOf({ DATABASE_URL: url, PETSTORE_ENV: "staging", ...more })

const migrate = (url: string, more: Environment = {}) => run(on(url, more), "migrate")

it.each([
  ["by default", ""],
  ["with sslmode=require, without checking the certificate", "?sslmode=require"],
  ["with the certificate in sslrootcert", `?sslmode=verify-full&sslrootcert=${certificate}`],
] as const)("a service encrypts its connections to a server with TLS %s", async (_how, parameters) => {
  const service = await serve(on(at(encrypted, "localhost", parameters), { ADMIN_PORT: "0" }))
  const client = new Client({ connectionString: encrypted.url })
  await client.connect()
  const sessions = "SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'petstore'"
  expect((await client.query(sessions)).rows).toEqual([{ ssl: true }])
  await client.end()
  expect(await service.stop()).toBe(0)
  expect(`${service.stdout}${service.stderr}`).not.toContain("not encrypted")
})

it.each([
  ["another certificate", () => at(encrypted, "localhost", `?sslmode=verify-full&sslrootcert=${clear}`), "certificate"],
  [
    "another name",
    () => at(encrypted, "127.0.0.1", `?sslmode=verify-full&sslrootcert=${certificate}`),
    "does not match certificate",
  ],
  ["the system's certificates", () => at(encrypted, "localhost", "?sslmode=verify-full"), "certificate"],
  ["a server without TLS", () => at(plain, "localhost", "?sslmode=require"), "The server has no TLS (ssl = off)"],
  ["a missing file", () => at(encrypted, "localhost", "?sslmode=verify-full&sslrootcert=/no/ca.pem"), "no such file"],
] as const)("a command refuses %s for good", async (_what, url, message) => {
  expect(await migrate(url())).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(message) })
})

it("verify-ca accepts another name", async () => {
  expect(await migrate(at(encrypted, "127.0.0.1", `?sslmode=verify-ca&sslrootcert=${certificate}`))).toMatchObject({
    exitCode: 0,
  })
})

it("production refuses plain text to another machine unless the URL asks for it, and others are warned once", async () => {
  const remote = at(plain, external ?? "no address")
  const warning = expect.stringContaining(`The connection to PostgreSQL on ${external} is not encrypted`)
  const silence = expect.not.stringContaining("not encrypted")
  expect(await migrate(at(plain, "127.0.0.1"))).toMatchObject({ exitCode: 0, stderr: silence })
  expect(await migrate(remote)).toMatchObject({ exitCode: 0, stderr: warning })
  expect(await run(on(remote), "doctor")).toMatchObject({ exitCode: 1, stdout: warning })
  const production = { PETSTORE_ENV: "production" }
  const refusal = expect.stringMatching(/cannot be opened: The connection to PostgreSQL .+ is not encrypted.+sslmode=disable/)
  expect(await migrate(remote, production)).toMatchObject({ exitCode: 1, stderr: refusal })
  const meant = await run(on(`${remote}?sslmode=disable`, production), "doctor")
  expect(meant).toMatchObject({ stdout: warning })
  expect(meant.stdout).not.toContain("cannot be opened")

  const service = await serve(on(remote, { ADMIN_PORT: "0" }))
  const metrics = await (await fetch(/"metrics":"([^"]+)"/.exec(service.stdout)?.[1] ?? "no address")).text()
  expect(metrics).toContain("\npetstore_store_plain_text 1\n")
  expect(await service.stop()).toBe(0)
  expect(service.stderr.split("is not encrypted")).toHaveLength(2)
})

it("reads the URL from the file that DATABASE_URL_FILE names, and refuses an empty file or a second URL", async () => {
  const file = join(folder, "url")
  const environment = { ...on(""), DATABASE_URL_FILE: file }
  writeFileSync(file, `${at(encrypted, "localhost")}\n`)
  expect(await run(environment, "accounts", "list")).toMatchObject({ exitCode: 0 })
  const refused = { exitCode: 2, stderr: expect.stringContaining("DATABASE_URL_FILE: ") }
  expect(await run({ ...environment, DATABASE_URL: "memory:" }, "accounts", "list")).toMatchObject(refused)
  writeFileSync(file, "\n")
  expect(await run(environment, "accounts", "list")).toMatchObject(refused)
  rmSync(file)
  expect(await run(environment, "accounts", "list")).toMatchObject(refused)
})
