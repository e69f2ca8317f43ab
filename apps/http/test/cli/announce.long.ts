/** The lines that `petstore serve` prints when it is ready, and how an operator uses them. */
import { execFile } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:net"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { promisify } from "node:util"
import { type Environment, environmentIn, run } from "@petstore/harness/command"
import { freePort } from "@petstore/harness/free-port"
import type { Service } from "@petstore/harness/serving"
import { serve, temporaryFolder } from "@petstore/harness/testing"
import { newPostgresDatabase } from "@petstore/test/postgres"
import { describe, expect, it, onTestFinished } from "vitest"

const bin = join(import.meta.dirname, "../../bin/petstore")

/** Pastes lines into a shell in which `npx --no petstore` runs the command under test. */
const paste = async (environment: Environment, lines: string): Promise<string> => {
  const script = lines.replaceAll("npx --no petstore", '"$PROGRAM"')
  return (await promisify(execFile)("sh", ["-c", script], { env: { ...environment, PROGRAM: bin } })).stdout
}

const lastBlock = (service: Service): string => service.stdout.trimEnd().split("\n\n").at(-1) ?? ""

/** Several workers need PostgreSQL. */
const storeFor = async (workers: string) => (workers === "1" ? {} : { DATABASE_URL: await newPostgresDatabase() })

describe("the start of a development service", () => {
  it("prints lines that work when pasted, even if the store already has keys", async () => {
    const environment = environmentIn(temporaryFolder())
    const first = await serve(environment)
    const pet = (id: number) => ({ id, name: "Bello", categoryId: 1, status: "available" })
    const responses = (text: string) =>
      text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
    expect(responses(await paste(environment, lastBlock(first)))).toEqual([pet(1), [pet(1)]])
    first.signal("SIGTERM")
    await first.ended

    const second = await serve(environment)
    expect(second.stdout).not.toContain("pst_dev_")
    expect(lastBlock(second)).toContain("npx --no petstore keys create --account development")
    const { DATABASE_URL: _, ...elsewhere } = environment
    expect(responses(await paste(elsewhere, lastBlock(second)))).toEqual([pet(2), [pet(1), pet(2)]])
  })

  it.each(["1", "2"])("stores no key if the port is in use, with WORKERS=%s", async (WORKERS) => {
    const port = await freePort()
    const other = createServer().listen(port, "127.0.0.1")
    onTestFinished(() => void other.close())
    await once(other, "listening")
    const environment = environmentIn(temporaryFolder(), { ...(await storeFor(WORKERS)), LOG_LEVEL: "silent" })
    const taken = await run({ ...environment, PORT: String(port), WORKERS }, "serve")
    expect(taken).toMatchObject({ exitCode: 1, stdout: "", stderr: expect.stringContaining("is in use by another program") })
    expect(JSON.parse((await run(environment, "keys", "list", "--json")).stdout)).toEqual([])
  })

  it("fails if it cannot create the first key", async () => {
    const folder = temporaryFolder()
    const environment = environmentIn(folder)
    await run(environment, "migrate")
    const store = new DatabaseSync(join(folder, "petstore.db"))
    store.exec("CREATE TRIGGER no_account BEFORE INSERT ON accounts BEGIN SELECT RAISE(ABORT, 'not now'); END")
    store.close()
    expect(await run(environment, "serve")).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("not now") })
  })

  it("names an existing account, quoted for a shell", async () => {
    const environment = environmentIn(temporaryFolder(), { LOG_LEVEL: "silent" })
    await run(environment, "accounts", "create", "Ada's shop")
    await run(environment, "keys", "create", "--account", "Ada's shop")
    const service = await serve(environment)
    expect(await paste(environment, lastBlock(service))).toContain("Bello")
  })
})

describe("the output of a service outside development", () => {
  const linesOf = (text: string) => text.split("\n").filter((line) => line !== "")
  /** Throws on a line that is not JSON. */
  const entriesOf = (text: string) => linesOf(text).map((line): { level: string; msg: string } => JSON.parse(line))

  it.each(["1", "2"])("consists of JSON lines from start to end, with WORKERS=%s", async (WORKERS) => {
    const environment = environmentIn(temporaryFolder(), {
      ...(await storeFor(WORKERS)),
      PETSTORE_ENV: "staging",
      WORKERS,
      ADMIN_PORT: "0",
      LOG_LEVEL: "silent",
    })
    const service = await serve(environment)
    await fetch(`${service.baseUrl}/pets`)
    service.signal("SIGTERM")
    await service.ended
    const [first, second] = entriesOf(service.stdout)
    expect(first).toMatchObject({
      level: "info",
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      baseUrl: service.baseUrl,
      docs: expect.stringMatching(/\/docs$/),
      store: expect.stringMatching(/\/store$/),
      metrics: expect.stringMatching(/\/metrics$/),
    })
    expect(second).toMatchObject({
      level: "warn",
      msg: expect.stringMatching(/^There is no valid API key yet\. .*petstore keys create/),
    })
    expect(service.stderr).toBe("")
  })

  it("does not mention keys if the store already has one", async () => {
    const environment = environmentIn(temporaryFolder(), { PETSTORE_ENV: "staging" })
    await run(environment, "accounts", "create", "shop")
    await run(environment, "keys", "create", "--account", "shop")
    const service = await serve(environment)
    expect(entriesOf(service.stdout)).toHaveLength(1)
  })

  it("consists of JSON lines if the service does not start or is only checked", async () => {
    const environment = environmentIn(temporaryFolder(), { PETSTORE_ENV: "staging" })
    const refused = await run({ ...environment, WORKERS: "none" }, "serve")
    expect(refused.stdout).toBe("")
    expect(entriesOf(refused.stderr)).toEqual([
      expect.objectContaining({ level: "fatal", msg: expect.stringContaining("WORKERS") }),
    ])
    const checked = await run(environment, "serve", "--check")
    expect(entriesOf(checked.stdout)).toEqual([
      expect.objectContaining({ level: "info", msg: expect.stringContaining("are valid") }),
    ])
    expect(checked.stderr).toBe("")
  })
})
