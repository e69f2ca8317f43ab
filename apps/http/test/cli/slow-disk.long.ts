/** Commands that run while a service writes continuously, on a disk whose fsync takes 40 ms. */
import { createKey, environmentIn, run } from "@petstore/harness/command"
import { startLoad } from "@petstore/harness/load"
import { serve, temporaryFolder } from "@petstore/harness/testing"
import { tamper } from "@petstore/torture/strace"
import { expect, it, onTestFinished } from "vitest"

it("commands can revoke 15 keys and recount the pets while 32 clients write", async () => {
  const folder = temporaryFolder()
  const account = "shop"
  const environment = environmentIn(folder, { LOG_LEVEL: "silent" })
  await run(environment, "accounts", "create", account)
  const service = await serve(environment)
  const file = `${folder}/petstore.db`
  const ids: Array<string> = []
  for (let key = 0; key < 15; key += 1) ids.push((await createKey(environment, account)).id)
  const end = await tamper(service.pid, [file, `${file}-wal`], "fsync,fdatasync:delay_exit=40000")
  onTestFinished(async () => void (await end(false)))
  const load = startLoad(service.baseUrl, service.key, 32, 0)
  await service.until(() => load.answered() > 100, "the load")
  for (const id of ids) expect(await run(environment, "keys", "revoke", id)).toMatchObject({ exitCode: 0 })
  for (let count = 0; count < 6; count += 1) {
    expect(await run(environment, "doctor", "--recount")).toMatchObject({ exitCode: 0 })
  }
  expect((await load.stop()).failures).toStrictEqual([])
})
