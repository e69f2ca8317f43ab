/** The doctor's findings about conflicting settings. */
import { Either } from "effect"
import { describe, expect, it } from "vitest"
import { settingsFindings } from "../../../src/cli/doctor/settings.js"
import { decodeConfig } from "../../../src/config.js"

const onPostgres = { DATABASE_URL: "postgres://petstore@127.0.0.1/petstore" }

const machine = { cores: 2, openFiles: 20_000 }

const said = (environment: Readonly<Record<string, string>>, on = machine) =>
  settingsFindings(Either.getOrThrow(decodeConfig({ DATABASE_URL: "sqlite:petstore.db", ...environment })), on)

describe("the doctor's findings about settings", () => {
  it("report that the settings fit together", () => {
    expect(said({ PETSTORE_ENV: "production", ADMIN_PORT: "9464" })).toEqual([
      { state: "ok", about: "settings", says: "They fit together." },
    ])
  })

  it.each([
    { given: { PETSTORE_ENV: "production", HOST: "0.0.0.0" }, state: "problem", says: /^HOST: "0\.0\.0\.0" can be reached/ },
    { given: { WORKERS: "2" }, state: "problem", says: /^WORKERS: several processes need a PostgreSQL store/ },
    { given: { PORT: "9464", ADMIN_PORT: "9464" }, state: "problem", says: /^ADMIN_PORT and PORT are both 9464/ },
    { given: { ADMIN_PORT: "9464", ADMIN_HOST: "0.0.0.0" }, state: "warning", says: /without a key/ },
    { given: { HEAD_MS: "40000" }, state: "warning", says: /^HEAD_MS 40000 is longer than REQUEST_MS 30000/ },
    {
      given: { TLS_IN_FRONT: "on", PUBLIC_BASE_URL: "http://petstore.example/v1" },
      state: "warning",
      says: /^PUBLIC_BASE_URL begins with http:/,
    },
    { given: { ...onPostgres, WORKERS: "3" }, state: "warning", says: /^WORKERS 3 is more than the 2 cores/ },
    { given: { CONNECTION_LIMIT: "20000" }, state: "warning", says: /^A process can open only 20000 files/ },
    { given: { DATABASE_URL: "memory:" }, state: "warning", says: /is lost with its process/ },
  ])("report a $state for $given", ({ given, state, says }) => {
    expect(said(given)).toMatchObject([{ state, says: expect.stringMatching(says) }])
  })

  it.each([
    { given: { PORT: "9464", ADMIN_PORT: "9464" }, remedy: "Set a different ADMIN_PORT.", done: { ADMIN_PORT: "9465" } },
    {
      given: { ADMIN_PORT: "9464", ADMIN_HOST: "0.0.0.0" },
      remedy: "Set ADMIN_HOST=127.0.0.1, or block other machines.",
      done: { ADMIN_HOST: "127.0.0.1" },
    },
    { given: { HEAD_MS: "40000" }, remedy: "Set REQUEST_MS to more than HEAD_MS.", done: { REQUEST_MS: "40001" } },
    {
      given: { TLS_IN_FRONT: "on", STAGING_BASE_URL: "http://petstore.example/v1" },
      remedy: "Set STAGING_BASE_URL to an https address.",
      done: { STAGING_BASE_URL: "https://petstore.example/v1" },
    },
    { given: { ...onPostgres, WORKERS: "3" }, remedy: "Set WORKERS=2.", done: { WORKERS: "2" } },
    {
      given: { CONNECTION_LIMIT: "20000" },
      remedy: "Allow more (ulimit -n 20100), or set a lower CONNECTION_LIMIT.",
      done: { CONNECTION_LIMIT: "19900" },
    },
    { given: { DATABASE_URL: "memory:" }, remedy: "Name a persistent one.", done: { DATABASE_URL: "sqlite:kept.db" } },
  ])("suggest a remedy, and disappear after it is applied: $remedy", ({ given, remedy, done }) => {
    expect(said(given)).toMatchObject([{ remedy }])
    expect(said({ ...given, ...done })).toMatchObject([{ state: "ok" }])
  })

  it("disappear if the machine allows the suggested number of open files", () => {
    expect(said({ CONNECTION_LIMIT: "20000" }, { ...machine, openFiles: 20_100 })).toMatchObject([{ state: "ok" }])
  })
})
