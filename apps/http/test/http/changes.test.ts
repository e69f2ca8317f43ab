/** The list of changes, beyond what the conformance suite sees: old changes are removed (sentence 16.29). */
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { createKey, environmentIn, petstore } from "@petstore/harness/command"
import { expectError, expectStatus } from "@petstore/harness/expectations"
import { Http } from "@petstore/harness/http"
import { serve, temporaryFolder } from "@petstore/harness/testing"
import { expect, it } from "vitest"

it("a cursor is 410 once a change behind it was removed, and only then", async () => {
  const folder = temporaryFolder()
  const environment = environmentIn(folder, { LOG_LEVEL: "silent", HISTORY_DAYS: "0" })
  await petstore(environment, "accounts", "create", "shop")
  const { key } = await createKey(environment, "shop")
  const create = async (http: Http) => expectStatus(await http.post('{"name":"Bello","categoryId":1}'), 201)
  const first = await serve(environment)
  for (const _ of [1, 2]) await create(new Http(new URL(first.baseUrl), key))
  await first.stop()
  const database = new DatabaseSync(join(folder, "petstore.db"))
  database.exec(`UPDATE changes SET at = at - ${31 * 86_400_000}`)
  database.close()

  const second = await serve(environment)
  const keeping = new Http(new URL(second.baseUrl), key)
  for (const _ of [3, 4]) await create(keeping)
  const targets: Array<string> = []
  for (const limit of [1, 2, 3]) targets.push((await keeping.get(`/changes?limit=${limit}`)).link("next") ?? "")
  await second.stop()

  const third = await serve({ ...environment, HISTORY_DAYS: "30" })
  const http = new Http(new URL(third.baseUrl), key)
  await expect.poll(async () => (await http.get("/changes")).json).toHaveLength(2)
  const [behindFirst = "", behindRemoved = "", behindThird = ""] = targets
  expectError(await http.send({ target: behindFirst }), "cursor_expired")
  // The cursor behind the last change that was removed has lost nothing.
  expect((await http.send({ target: behindRemoved })).json).toHaveLength(2)
  expect((await http.send({ target: behindThird })).json).toHaveLength(1)
})
