/** A file that was put over the store of a running service: the next start serves it whole, and the former content is kept. */
import { copyFileSync, readdirSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { environmentIn, run } from "@petstore/harness/command"
import type { Service } from "@petstore/harness/serving"
import { serve, temporaryFolder } from "@petstore/harness/testing"
import { expect, it } from "vitest"

const namesIn = (file: string): ReadonlyArray<unknown> => {
  const database = new DatabaseSync(file)
  try {
    expect(database.prepare("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" })
    return database
      .prepare("SELECT name FROM pets ORDER BY id")
      .all()
      .map(({ name }) => name)
  } finally {
    database.close()
  }
}

const create = async ({ baseUrl }: Service, key: string, prefix: string): Promise<ReadonlyArray<string>> => {
  const names = Array.from({ length: 20 }, (_, number) => `${prefix} ${number}`)
  const statuses = names.map(async (name) => {
    const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" }
    const { status } = await fetch(`${baseUrl}/pets`, { method: "POST", headers, body: JSON.stringify({ name, categoryId: 1 }) })
    return status
  })
  expect(new Set(await Promise.all(statuses))).toEqual(new Set([201]))
  return names
}

/** A service with later pets than the content that is about to take the place of its file. */
const runningService = async (engine: string, content: "backup" | "copy at rest") => {
  const folder = temporaryFolder()
  const store = join(folder, "petstore.db")
  const environment = environmentIn(folder, { DATABASE_URL: `${engine}:${store}` })
  const first = await serve(environment)
  const { key } = first
  await create(first, key, "kept")
  const file = join(folder, "content.db")
  if (content === "backup") expect(await run(environment, "backup", file)).toMatchObject({ exitCode: 0 })
  await first.stop()
  if (content === "copy at rest") copyFileSync(store, file)
  const service = await serve(environment)
  const expected = namesIn(file)
  const later = await create(service, key, "later")
  const aside = (suffix: string) =>
    readdirSync(folder)
      .filter((name) => name.includes(".replaced-") && name.endsWith(suffix))
      .map((name) => join(folder, name))
  return { environment, store, file, service, key, expected, everyName: [...expected, ...later], aside }
}

const replacements = {
  "renamed over": (file: string, store: string) => {
    copyFileSync(file, `${store}.new`)
    renameSync(`${store}.new`, store)
  },
  "copied over": copyFileSync,
}

const servesOnly = async (environment: Readonly<Record<string, string>>, store: string, expected: ReadonlyArray<unknown>) => {
  const next = await serve(environment)
  expect((await fetch(new URL("/readyz", next.origin))).status).toBe(200)
  expect(await next.stop()).toBe(0)
  expect(namesIn(store)).toStrictEqual(expected)
}

it.each([
  ["renamed over", "backup", "sqlite"],
  ["copied over", "copy at rest", "sqlite"],
  ["renamed over", "backup", "sqljs"],
] as const)(
  "a service notices that a file was %s its store (%s, %s), keeps the former content and exits",
  async (how, content, engine) => {
    const { environment, store, file, service, key, expected, everyName, aside } = await runningService(engine, content)
    replacements[how](file, store)
    await service.until(async () => (await fetch(new URL("/readyz", service.origin))).status === 503, "/readyz to fail")
    const pets = await fetch(`${service.baseUrl}/pets`, { headers: { Authorization: `Bearer ${key}` } })
    expect(pets.status).toBe(503)
    expect(await service.ended).toEqual({ code: 1, signal: null })
    await servesOnly(environment, store, expected)

    const [former, ...others] = aside("Z")
    expect(others).toEqual([])
    expect(await run(environment, "restore", "--replace", former ?? "no file")).toMatchObject({ exitCode: 0 })
    expect(namesIn(store)).toStrictEqual(everyName)
  },
)

it.each([
  ["renamed over", "SIGKILL", ".log"],
  ["copied over", "SIGKILL", ".log"],
  ["renamed over", "SIGTERM", "Z"],
  ["copied over", "SIGTERM", "Z"],
] as const)(
  "the next start serves a file that was %s the store right before %s, and does not replay the log",
  async (how, signal, suffix) => {
    const { environment, store, file, service, expected, aside } = await runningService("sqlite", "copy at rest")
    replacements[how](file, store)
    service.signal(signal)
    await service.ended
    await servesOnly(environment, store, expected)
    expect(aside(suffix)).toHaveLength(1)
  },
)

it("a service whose file was removed waits for another file, and then exits", async () => {
  const { environment, store, file, service, expected, everyName, aside } = await runningService("sqlite", "backup")
  rmSync(store)
  await service.until(() => aside("Z").length === 1, "the former content")
  expect(aside("Z").map(namesIn)).toStrictEqual([everyName])
  expect((await fetch(new URL("/readyz", service.origin))).status).toBe(503)
  copyFileSync(file, store)
  expect(await service.ended).toEqual({ code: 1, signal: null })
  await servesOnly(environment, store, expected)
})

it("a restore does not replay the log of a killed service into a file that replaced its own, and a backup refuses", async () => {
  const { environment, store, file, service, expected, aside } = await runningService("sqlite", "copy at rest")
  await service.kill()
  replacements["renamed over"](file, store)
  const backup = `${file}.backup`
  const stderr = expect.stringContaining("the log next to it belongs to the former file")
  expect(await run(environment, "backup", backup)).toMatchObject({ exitCode: 1, stderr })
  expect(await run(environment, "doctor")).toMatchObject({ exitCode: 1, stdout: stderr })
  await servesOnly(environment, store, expected)
  expect(aside(".log")).toHaveLength(1)
  expect(await run(environment, "backup", backup)).toMatchObject({ exitCode: 0 })

  const again = await runningService("sqlite", "copy at rest")
  await again.service.kill()
  replacements["renamed over"](again.file, again.store)
  const { exitCode, stdout } = await run(again.environment, "restore", "--replace", "--json", backup)
  expect(exitCode).toBe(0)
  expect(namesIn(JSON.parse(stdout).movedAside)).toStrictEqual(again.expected)
})

it("a killed service's file and log serve every acknowledged pet in another folder", async () => {
  const { environment, store, service, everyName } = await runningService("sqlite", "backup")
  await service.kill()
  const folder = temporaryFolder()
  const moved = join(folder, "moved.db")
  for (const part of ["", "-wal"]) copyFileSync(`${store}${part}`, `${moved}${part}`)
  await servesOnly({ ...environment, DATABASE_URL: `sqlite:${moved}` }, moved, everyName)
})
