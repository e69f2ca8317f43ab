/** The checks that `petstore serve` makes before it serves, and `petstore serve --check`. */
import { existsSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { type Environment, environmentIn, run } from "@petstore/harness/command"
import { temporaryFolder } from "@petstore/harness/testing"
import { Either } from "effect"
import { describe, expect, it } from "vitest"
import { decodeConfig } from "../../src/config.js"
import { unsafeSettings } from "../../src/process/safety.js"

const check = (environment: Readonly<Record<string, string>>) => run(environment, "serve", "--check")

describe("petstore serve --check", () => {
  it("reports that the settings and the store are valid", async () => {
    const environment = environmentIn(temporaryFolder())
    await run(environment, "migrate")
    expect(await check(environment)).toEqual({ exitCode: 0, stdout: "The settings are valid. The store is ready.\n", stderr: "" })
  })

  it("does not create a missing store", async () => {
    const folder = temporaryFolder()
    const { exitCode, stdout } = await check(environmentIn(folder, { DATABASE_URL: `sqlite:${folder}/new/petstore.db` }))
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.stringContaining("the first start will create it") })
    expect(existsSync(`${folder}/new`)).toBe(false)
  })

  it("does not migrate an older schema", async () => {
    const folder = temporaryFolder()
    new DatabaseSync(`${folder}/petstore.db`).close()
    const { exitCode, stdout } = await check(environmentIn(folder))
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: expect.stringContaining("the next start will bring it up to date"),
    })
    const file = new DatabaseSync(`${folder}/petstore.db`)
    expect(file.prepare("PRAGMA user_version").get()?.["user_version"]).toBe(0)
    file.close()
  })

  it("refuses an older schema if MIGRATE is off", async () => {
    const folder = temporaryFolder()
    new DatabaseSync(`${folder}/petstore.db`).close()
    const { exitCode, stderr } = await check(environmentIn(folder, { MIGRATE: "off" }))
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining("Run: petstore migrate") })
  })

  it("lists every invalid setting with its value", async () => {
    const { exitCode, stderr } = await check(
      environmentIn(temporaryFolder(), { WORKERS: "none", ADMIN_PORT: "no", MIGRATE: "yes" }),
    )
    expect(exitCode).toBe(2)
    expect(stderr).toContain('WORKERS: expected a whole number from 1 to 256, got "none"')
    expect(stderr).toContain('ADMIN_PORT: expected off, or a whole number from 0 to 65535, got "no"')
    expect(stderr).toContain('MIGRATE: expected on or off, got "yes"')
  })
})

describe("petstore serve", () => {
  const problemsOf = (settings: Environment) =>
    unsafeSettings(Either.getOrThrow(decodeConfig({ DATABASE_URL: "sqlite:petstore.db", ...settings })))

  it("reports unsafe settings and does not start", async () => {
    const environment = environmentIn(temporaryFolder(), { PETSTORE_ENV: "production", DATABASE_URL: "memory:", WORKERS: "2" })
    const { exitCode, stderr } = await run(environment, "serve")
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: expect.stringMatching(
        /^\{"level":"fatal",.*"msg":"Unsafe settings:\\n {2}WORKERS: .*\\n {2}DATABASE_URL: .*"\}\n$/,
      ),
    })
  })

  it.each(["memory:", "sqlite::memory:", "sqljs::memory:", "sqljs:petstore.db", "sqlite:petstore.db"])(
    "refuses several workers on %s",
    (DATABASE_URL) => {
      expect(problemsOf({ WORKERS: "2", DATABASE_URL })).toEqual([expect.stringMatching(/^WORKERS: .*postgres:/)])
      expect(problemsOf({ WORKERS: "1", DATABASE_URL })).toEqual([])
    },
  )

  it.each(["0.0.0.0", "::", "10.1.2.3", "petstore.internal"])(
    "refuses production on %s unless a proxy in front terminates TLS",
    (HOST) => {
      expect(problemsOf({ PETSTORE_ENV: "production", HOST })).toEqual([expect.stringContaining(`HOST: "${HOST}"`)])
      expect(problemsOf({ PETSTORE_ENV: "production", HOST, TLS_IN_FRONT: "on" })).toEqual([])
      expect(problemsOf({ PETSTORE_ENV: "staging", HOST })).toEqual([])
    },
  )

  it.each(["127.0.0.1", "127.0.1.1", "::1", "localhost"])("accepts production on %s without TLS", (HOST) => {
    expect(problemsOf({ PETSTORE_ENV: "production", HOST })).toEqual([])
  })
})
