/** The single executable, started in an empty folder with no Node and no shell in `PATH`. */

import { execFileSync } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startLoad } from "@petstore/harness/load"
import { childrenOf } from "@petstore/harness/processes"
import { type Service, startService } from "@petstore/harness/serving"
import { newPostgresDatabase } from "@petstore/test/postgres"
import { tamper } from "@petstore/torture/strace"
import { afterAll, describe, expect, it, onTestFinished } from "vitest"
import { declareEverySentence } from "./conformance-target.js"

const repository = join(import.meta.dirname, "../../..")
const parent = mkdtempSync(join(tmpdir(), "petstore-binary-"))
const binary = join(parent, "petstore")
const emptyFolder = (): string => mkdtempSync(join(parent, "folder-"))
afterAll(() => rmSync(parent, { recursive: true }))
execFileSync(process.execPath, [join(repository, "tools/packaging/src/binary.ts"), binary])

const startIn = (folder: string, environment: Readonly<Record<string, string>> = {}): Promise<Service> =>
  startService(
    { PORT: "0", LOG_LEVEL: "silent", ...environment, PATH: "/nonexistent" },
    { program: binary, launcher: ["/usr/bin/env", "-C", folder] },
  )

const started = async (environment?: Readonly<Record<string, string>>) => {
  const folder = emptyFolder()
  const service = await startIn(folder, environment)
  onTestFinished(async () => void (await service.kill()))
  return { folder, service }
}

/** Adds a pet. Returns the response's status, and a page with the first pet. */
const addTo = async ({ baseUrl, key }: Service): Promise<readonly [number, unknown]> => {
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" }
  const { status } = await fetch(`${baseUrl}/pets`, { method: "POST", headers, body: `{"name":"Bello","categoryId":1}` })
  const pets: unknown = await (await fetch(`${baseUrl}/pets?limit=1`, { headers })).json()
  return [status, pets]
}

const oneBello = [201, [{ id: 1, name: "Bello", categoryId: 1 }]]

declareEverySentence("the single executable", ({ environment }) => startIn(emptyFolder(), environment))

describe("the single executable", () => {
  it("creates its store in the current folder, and serves /docs and /store", async () => {
    const { folder, service } = await started()
    expect(await addTo(service)).toStrictEqual(oneBello)
    for (const page of ["docs", "store"]) {
      expect(await (await fetch(new URL(page, service.origin))).text()).toContain("</html>")
    }
    expect(readdirSync(folder)).toStrictEqual(["data"])
    expect(existsSync(join(folder, "data/petstore.db"))).toBe(true)
  })

  it("shares its port among its workers, and replaces a killed one", async () => {
    const { service } = await started({ WORKERS: "2", DATABASE_URL: await newPostgresDatabase() })
    await service.until(() => service.workerPids().length === 2, "both workers")
    expect(await addTo(service)).toStrictEqual(oneBello)
    const [victim = 0] = service.workerPids()
    process.kill(victim, "SIGKILL")
    await service.until(() => childrenOf(service.pid).length === 2 && !service.workerPids().includes(victim), "a new worker")
  })

  it("stores pets with sql.js", async () => {
    const { service } = await started({ DATABASE_URL: "sqljs:./pets.db" })
    expect(await addTo(service)).toStrictEqual(oneBello)
  })

  it("starts a writer thread while the disk is slow, and still responds to create requests", async () => {
    const { folder, service } = await started()
    const file = join(folder, "data/petstore.db")
    const threads = (): number => readdirSync(`/proc/${service.pid}/task`).length
    const before = threads()
    const end = await tamper(service.pid, [file, `${file}-wal`], "fsync,fdatasync:delay_exit=20000")
    onTestFinished(async () => void (await end(false)))
    const load = startLoad(service.baseUrl, service.key, 4, 2)
    await service.until(() => threads() > before, "the writer thread")
    const answered = load.answered()
    await service.until(() => load.answered() > answered + 100, "responses to create requests")
    expect((await load.stop()).failures).toStrictEqual([])
  })
})
