import { createServer, type IncomingMessage, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { type Ended, environmentOf, runProgram } from "@petstore/harness/command"
import { describe, expect, it } from "vitest"
import { specification } from "../src/specification.ts"

const conformance = (...args: ReadonlyArray<string>): Promise<Ended> =>
  runProgram(environmentOf({}), process.execPath, [join(import.meta.dirname, "../src/main.ts"), ...args])

/** Runs a server with `listener` until the promise of `use` settles. */
const serving = async <A>(listener: RequestListener, use: (baseUrl: string) => Promise<A>): Promise<A> => {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  try {
    // Safe: the address of a server that listens on TCP has this type.
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

const key = "pst_dev_secretsecretsecretsecretsecret0000000"

describe("npm run conformance", () => {
  const wrong: ReadonlyArray<readonly [why: string, args: ReadonlyArray<string>]> = [
    ["there are no arguments", []],
    ["--key is missing", ["--base-url", "http://127.0.0.1:1/v1"]],
    ["--base-url is missing", ["--key", key]],
    ["--base-url does not end in /v1", ["--base-url", "http://127.0.0.1:1/", "--key", key]],
    ["--base-url is not a URL", ["--base-url", "127.0.0.1", "--key", key]],
    ["an option is unknown", ["--base-url", "http://127.0.0.1:1/v1", "--key", key, "--all"]],
    ["--only names an unknown sentence", ["--base-url", "http://127.0.0.1:1/v1", "--key", key, "--only", "99.1"]],
  ]
  it.each(wrong)("exits with code 2 and prints its usage if %s", async (_why, args) => {
    const { exitCode, stdout, stderr } = await conformance(...args)
    expect({ exitCode, stdout }).toStrictEqual({ exitCode: 2, stdout: "" })
    expect(stderr).toContain("usage: npm run conformance")
  })

  it("prints its usage for --help", async () => {
    expect(await conformance("--help")).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("usage:"), stderr: "" })
  })

  it("exits with code 0 if no sentence fails", async () => {
    const { exitCode, stdout } = await serving(
      (_request, response) => response.end("[]"),
      (baseUrl) => conformance("--base-url", baseUrl, "--key", key, "--only", "4.6.1"),
    )
    expect(stdout).toMatch(/^pass +D 4\.6\.1 .+\n1 passed, 0 failed, 0 not tested\n$/)
    expect(exitCode).toBe(0)
  })

  it("exits with code 1 and shows the exchange, without the key, if a sentence fails", async () => {
    const { exitCode, stdout } = await serving(
      (_request, response) => response.writeHead(418).end("a teapot"),
      (baseUrl) => conformance("--base-url", baseUrl, "--key", key, "--only", "4.1.1"),
    )
    expect(exitCode).toBe(1)
    expect(stdout).toContain("> Authorization: Bearer <key>")
    expect(stdout).toContain("< HTTP/1.1 418")
    expect(stdout).toContain("< a teapot")
    expect(stdout).not.toContain(key)
  })

  it("lists every sentence of the specification in order, even if the service is unavailable", async () => {
    const { exitCode, stdout } = await conformance("--base-url", "http://127.0.0.1:1/v1", "--key", key)
    expect(exitCode).toBe(1)
    const numbers = stdout.matchAll(/^(?:pass|fail|not tested) +[SD] ([\d.]+)/gm).map(([, number]) => number)
    expect([...numbers]).toStrictEqual(specification().map(({ number }) => number))
  })

  it("sends no request that could create a pet if --write is missing", async () => {
    const risky: Array<string> = []
    const record = (request: IncomingMessage) => {
      const safe = ["GET", "HEAD", "OPTIONS", "PROPFIND"].includes(request.method ?? "")
      if (!safe && request.url?.startsWith("/v1/pets") === true && request.headers.authorization?.includes(key) === true) {
        risky.push(`${request.method} ${request.url}`)
      }
    }
    const listener: RequestListener = (request, response) => {
      record(request)
      response.setHeader("Content-Type", "application/json").end("[]")
    }
    const { stdout } = await serving(listener, (baseUrl) => conformance("--base-url", baseUrl, "--key", key))
    expect(stdout).toMatch(/^not tested S 4\.2\.1 /m)
    expect(risky).toStrictEqual([])
  })
})
