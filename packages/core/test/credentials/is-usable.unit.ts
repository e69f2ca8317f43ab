import { type ApiKey, isUsable } from "@petstore/core"
import { Option } from "effect"
import { expect, it } from "vitest"

const now = new Date("2026-01-02T03:04:05.678Z")
const [before, after] = [new Date(now.getTime() - 1), new Date(now.getTime() + 1)]

const keyWith = (rest: Partial<ApiKey>): ApiKey => ({
  id: "key_1",
  accountId: "acc_1",
  deployment: "production",
  createdAt: before,
  expiresAt: Option.none(),
  revokedAt: Option.none(),
  lastUsedOn: Option.none(),
  label: Option.none(),
  readOnly: false,
  ...rest,
})

it.each([
  ["accepts a key that neither expires nor was revoked", {}, true],
  ["accepts a key that expires later", { expiresAt: Option.some(after) }, true],
  ["refuses a key that expires now", { expiresAt: Option.some(now) }, false],
  ["refuses a key that has expired", { expiresAt: Option.some(before) }, false],
  ["refuses a key that was revoked earlier", { revokedAt: Option.some(before) }, false],
  ["refuses a key that was revoked by a machine whose clock is ahead", { revokedAt: Option.some(after) }, false],
] as const)("isUsable %s", (_, rest, usable) => {
  expect(isUsable(keyWith(rest), now)).toBe(usable)
})
