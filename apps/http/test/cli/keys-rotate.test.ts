/** If `petstore keys rotate` fails, it creates no key, because the caller would never see the secret. */
import { createKey, environmentOf, petstore, run } from "@petstore/harness/command"
import { newPostgresDatabase } from "@petstore/test/postgres"
import { expect, it } from "vitest"
import { rowsOf } from "../rows-of.js"

it("keys rotate does not create a key if the account's name cannot be read", async () => {
  const url = await newPostgresDatabase()
  const environment = environmentOf({ DATABASE_URL: url, PETSTORE_ENV: "staging" })
  await petstore(environment, "accounts", "create", "shop")
  const { id } = await createKey(environment, "shop")
  await rowsOf(url, "ALTER TABLE accounts RENAME TO elsewhere")
  expect(await run(environment, "keys", "rotate", id)).toMatchObject({ exitCode: 1, stdout: "" })
  expect(await rowsOf(url, "SELECT id, expires_at FROM api_keys")).toStrictEqual([[id, null]])
})
