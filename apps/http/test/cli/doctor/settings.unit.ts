/** Settings that do not go together, as the doctor says it. */
import { Either } from "effect"
import { describe, expect, it } from "vitest"
import { settingsFindings } from "../../../src/cli/doctor/settings.js"
import { decodeConfig } from "../../../src/config.js"

const machine = { cores: 2, openFiles: 20_000 }

const said = (environment: Readonly<Record<string, string>>, on = machine) =>
  settingsFindings(Either.getOrThrow(decodeConfig({ DATABASE_URL: "sqlite:petstore.db", ...environment })), on)

describe("the doctor says of settings", () => {
  it("that they go together", () => {
    expect(said({ PETSTORE_ENV: "production", WORKERS: "2", ADMIN_PORT: "9464" })).toEqual([
      { state: "ok", about: "settings", says: "They go together." },
    ])
  })

  it.each([
    { given: { PETSTORE_ENV: "production", HOST: "0.0.0.0" }, state: "problem", says: /^HOST: "0\.0\.0\.0" can be reached/ },
    { given: { WORKERS: "2", DATABASE_URL: "sqljs:petstore.db" }, state: "problem", says: /^WORKERS: only one process/ },
    { given: { PORT: "9464", ADMIN_PORT: "9464" }, state: "problem", says: /^ADMIN_PORT and PORT are both 9464/ },
    { given: { ADMIN_PORT: "9464", ADMIN_HOST: "0.0.0.0" }, state: "warning", says: /without a key/ },
    { given: { HEAD_MS: "40000" }, state: "warning", says: /^HEAD_MS 40000 is longer than REQUEST_MS 30000/ },
    {
      given: { TLS_IN_FRONT: "on", PUBLIC_BASE_URL: "http://petstore.example/v1" },
      state: "warning",
      says: /^PUBLIC_BASE_URL begins with http:/,
    },
    { given: { WORKERS: "3" }, state: "warning", says: /^WORKERS 3 is more than the 2 cores/ },
    { given: { CONNECTION_LIMIT: "20000" }, state: "warning", says: /^A process may open 20000 files/ },
    { given: { DATABASE_URL: "memory:" }, state: "warning", says: /ends with its process/ },
  ])("$state where $given", ({ given, state, says }) => {
    expect(said(given)).toMatchObject([{ state, says: expect.stringMatching(says) }])
  })
})
