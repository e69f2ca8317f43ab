/** A store belongs to one deployment. It records the deployment's name, and refuses commands that belong to another one. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { type Environment, environmentIn, run } from "@petstore/harness/command"
import { temporaryFolder } from "@petstore/harness/testing"
import { describe, expect, it } from "vitest"

const json = async (environment: Environment, ...args: ReadonlyArray<string>) =>
  JSON.parse((await run(environment, ...args, "--json")).stdout)

/** Each deployment's store with an account, created once. */
const made = new Map<string, Buffer>()

const storeOf = async (deployment: string) => {
  const folder = temporaryFolder()
  const as = (name: string) => environmentIn(folder, { PETSTORE_ENV: name })
  const unnamed = environmentIn(folder)
  const file = join(folder, "petstore.db")
  const store = made.get(deployment)
  if (store === undefined) {
    await run(as(deployment), "accounts", "create", "shop")
    made.set(deployment, readFileSync(file))
  } else writeFileSync(file, store, { mode: 0o600 })
  const change = (sql: string) => {
    const database = new DatabaseSync(file)
    database.exec(sql)
    database.close()
  }
  return { folder, as, unnamed, change }
}

const newKey = (environment: Environment, ...more: ReadonlyArray<string>) =>
  json(environment, "keys", "create", "--account", "shop", ...more)

describe("a store", () => {
  it("refuses a command that belongs to another deployment, and names both", async () => {
    const { as } = await storeOf("production")
    for (const args of [
      ["keys", "list"],
      ["keys", "create", "--account", "shop"],
      ["migrate"],
      ["serve"],
      ["serve", "--check"],
    ]) {
      const { exitCode, stderr } = await run(as("staging"), ...args)
      expect({ args, exitCode, stderr }).toEqual({
        args,
        exitCode: 1,
        stderr: expect.stringContaining(
          "The store belongs to production, but this command belongs to staging. Set PETSTORE_ENV=production",
        ),
      })
    }
  })

  it("applies its deployment to a command that names none, but refuses a service that names none", async () => {
    const { unnamed } = await storeOf("production")
    expect(await newKey(unnamed)).toMatchObject({ deployment: "production", key: expect.stringMatching(/^pst_live_/) })
    expect(await run(unnamed, "serve")).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("PETSTORE_ENV=production") })
  })

  it("takes the deployment of its keys if it has recorded none and all keys agree", async () => {
    const { as, unnamed, change } = await storeOf("production")
    await newKey(unnamed)
    change("DELETE FROM deployment")
    expect(await run(as("staging"), "keys", "list")).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("production") })
    expect(await run(unnamed, "keys", "list")).toMatchObject({ exitCode: 0 })
    change("UPDATE api_keys SET deployment = 'staging'")
    expect((await newKey(unnamed)).deployment).toBe("production")
  })

  it("takes a command's deployment if the keys disagree, after the other deployment's keys are revoked", async () => {
    const { as, unnamed, change } = await storeOf("development")
    const ids = [await newKey(unnamed), await newKey(unnamed), await newKey(unnamed)].map(({ id }) => id)
    change(`UPDATE api_keys SET deployment = 'production' WHERE id = '${ids[2]}'; DELETE FROM deployment`)
    await run(unnamed, "keys", "list")
    const refused = await run(as("production"), "serve", "--check")
    expect(refused.exitCode).toBe(1)
    const [, hint = ""] = /petstore (keys revoke key_\w+ key_\w+)/.exec(refused.stderr) ?? []
    expect(hint.split(" ").slice(2).toSorted()).toEqual(ids.slice(0, 2).toSorted())
    expect(await run(as("production"), ...hint.split(" "))).toMatchObject({ exitCode: 0 })
    expect(await run(as("production"), "serve", "--check")).toMatchObject({ exitCode: 0 })
    expect(await run(as("development"), "keys", "list")).toMatchObject({ exitCode: 1 })
  })

  it("records no deployment if it has no keys and PETSTORE_ENV is not set", async () => {
    const folder = temporaryFolder()
    await run(environmentIn(folder), "migrate")
    await run(environmentIn(folder), "serve", "--check")
    expect(await run(environmentIn(folder, { PETSTORE_ENV: "production" }), "serve", "--check")).toMatchObject({ exitCode: 0 })
  })
})

describe("petstore keys", () => {
  it("shows labels, and refuses a blank one", async () => {
    const { unnamed } = await storeOf("staging")
    expect(await newKey(unnamed, "--label", "till 3")).toMatchObject({ label: "till 3" })
    expect(await json(unnamed, "keys", "list")).toMatchObject([{ label: "till 3", deployment: "staging" }])
    expect((await run(unnamed, "keys", "list")).stdout).toMatch(/LABEL\n.* till 3\n$/)
    const { exitCode, stderr } = await run(unnamed, "keys", "create", "--account", "shop", "--label", " ")
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining("label: ") })
  })

  it("rotate creates a new key, and the old key expires after the overlap", async () => {
    const { unnamed } = await storeOf("staging")
    const former = await newKey(unnamed, "--label", "till 3", "--expires-in", "90d")
    const before = Date.now()
    const rotated = await json(unnamed, "keys", "rotate", former.id, "--overlap", "2h")
    expect(rotated).toMatchObject({ key: expect.stringMatching(/^pst_test_/), label: "till 3", former: { id: former.id } })
    expect(rotated.key).not.toBe(former.key)
    const untilMillis = Date.parse(rotated.former.expiresAt) - before
    expect(untilMillis).toBeGreaterThanOrEqual(7_200_000)
    expect(untilMillis).toBeLessThan(7_260_000)
    expect(Date.parse(rotated.expiresAt) - before).toBeGreaterThanOrEqual(90 * 86_400_000)
    expect(await json(unnamed, "keys", "list")).toMatchObject([
      { id: former.id, expiresAt: rotated.former.expiresAt, revokedAt: null },
      { id: rotated.id, expiresAt: rotated.expiresAt, account: "shop" },
    ])
    const again = await run(unnamed, "keys", "rotate", former.id, "--overlap", "7d")
    expect(again).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("has already been rotated") })
  })

  it("rotate refuses an inactive key, an unknown key and an invalid duration", async () => {
    const { unnamed } = await storeOf("staging")
    const { id } = await newKey(unnamed)
    expect(await run(unnamed, "keys", "rotate", id, "--overlap", "soon")).toMatchObject({ exitCode: 2 })
    expect(await run(unnamed, "keys", "rotate", "key_none")).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/no API key .*"key_none"\. List them: petstore keys list\n$/),
    })
    expect(await run(unnamed, "keys", "create", "--account", "missing")).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/no account .*"missing"\. Create it: petstore accounts create NAME\n$/),
    })
    await run(unnamed, "keys", "rotate", id, "--overlap", "0")
    const { exitCode, stderr } = await run(unnamed, "keys", "rotate", id)
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining("revoked or expired") })
  })
})
