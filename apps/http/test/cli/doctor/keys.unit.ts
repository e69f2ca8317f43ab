/** The doctor's findings about API keys and the clock. */
import type { Account, ApiKey } from "@petstore/core"
import { Option } from "effect"
import { describe, expect, it } from "vitest"
import { clockFinding, keyFindings } from "../../../src/cli/doctor/keys.js"

const now = new Date("2026-11-22T12:00:00Z")
const inDays = (days: number): Date => new Date(now.getTime() + days * 86_400_000)

const accounts: ReadonlyArray<Account> = [{ id: "acc_1", name: "Pets & Co", createdAt: inDays(-400) }]

/** A production key that does not expire and was used today. `more` overrides its properties. */
const key = (id: string, more: Partial<ApiKey> = {}): ApiKey => ({
  id,
  accountId: "acc_1",
  deployment: "production",
  createdAt: inDays(-100),
  expiresAt: Option.none(),
  revokedAt: Option.none(),
  lastUsedOn: Option.some("2026-11-22"),
  label: Option.none(),
  readOnly: false,
  ...more,
})

const ending = (days: number, more: Partial<ApiKey> = {}) => ({ expiresAt: Option.some(inDays(days)), ...more })

const said = (...keys: ReadonlyArray<ApiKey>) =>
  keyFindings(keys, accounts, "production", now).map(({ state, says, remedy }) => `${state}: ${[says, remedy].join(" ").trim()}`)

describe("the doctor's findings about API keys", () => {
  it("report how many keys are accepted", () => {
    expect(said(key("key_1"), key("key_2", ending(30)))).toEqual(["ok: 2 production API keys are accepted."])
  })

  it.each([
    { what: "there is no key", keys: [] },
    { what: "all keys are revoked", keys: [key("key_1", { revokedAt: Option.some(inDays(-1)) })] },
    { what: "all keys are expired", keys: [key("key_1", ending(-1))] },
  ])("report that no key is accepted, and how to create one, if $what", ({ keys }) => {
    expect(said(...keys)).toEqual([
      "problem: No API key is accepted: every call gets a 401. petstore keys create --account 'Pets & Co'",
    ])
  })

  it("report that no key is accepted if their account is disabled", () => {
    const [account] = accounts.map((one) => ({ ...one, disabledAt: inDays(-1) }))
    const findings = keyFindings([key("key_1")], account === undefined ? [] : [account], "production", now)
    expect(findings.map(({ state }) => state)).toEqual(["problem"])
  })

  it("report that a key expires within two weeks, and how to rotate it", () => {
    expect(said(key("key_1", ending(13, { label: Option.some("till 3") })))).toEqual([
      "ok: 1 production API key is accepted.",
      'warning: API key key_1 ("till 3") expires at 2026-12-05T12:00:00.000Z. petstore keys rotate key_1',
    ])
  })

  it("report whether a rotated key is still used", () => {
    const successor = key("key_2", { createdAt: inDays(-2) })
    expect(said(key("key_1", ending(1)), successor)[1]).toBe(
      "warning: API key key_1 was rotated, and is accepted until 2026-11-23T12:00:00.000Z. It is still in use. Its client has to switch to key_2 before then.",
    )
    expect(said(key("key_1", ending(1, { lastUsedOn: Option.some("2026-11-19") })), successor)[1]).toBe(
      "ok: API key key_1 was rotated, and is accepted until 2026-11-23T12:00:00.000Z. It has not been used since key_2 was created.",
    )
  })

  it("report keys of another deployment, and that production does not start with development keys", () => {
    expect(said(key("key_1"), key("key_2", { deployment: "staging" }))[1]).toBe(
      "warning: 1 API key belongs to another deployment, so production refuses it. petstore keys revoke key_2",
    )
    expect(said(key("key_1"), key("key_2", { deployment: "development" }))[1]).toMatch(/^problem: /)
  })
})

describe("the doctor's finding about the clock", () => {
  it("is good if the clock agrees with the store's timestamps to within a minute", () => {
    expect(clockFinding([key("key_1", { createdAt: new Date(now.getTime() + 59_000) })], accounts, now).state).toBe("ok")
  })

  it.each([
    { what: "a key was created", keys: [key("key_1", { createdAt: inDays(1) })] },
    { what: "a key was used", keys: [key("key_1", { lastUsedOn: Option.some("2026-11-23") })] },
  ])("is a problem if $what in the future", ({ keys }) => {
    expect(clockFinding(keys, accounts, now)).toMatchObject({ state: "problem", remedy: "Set the clock: timedatectl" })
  })
})
