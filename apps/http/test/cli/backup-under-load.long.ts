/** Takes a backup while clients write, restores the backup elsewhere, and serves it. */
import { join } from "node:path"
import { environmentIn, run, runProgram } from "@petstore/harness/command"
import { everyPetId, startLoad } from "@petstore/harness/load"
import { serve, temporaryFolder } from "@petstore/harness/testing"
import { expect, it } from "vitest"

/** The specification sentences that a service violates, according to the conformance kit. */
const failedSentences = async ({ baseUrl, key }: { readonly baseUrl: string; readonly key: string }) => {
  const kit = join(import.meta.dirname, "../../../../tools/conformance/src/main.ts")
  const { stdout, stderr } = await runProgram({}, process.execPath, [kit, "--base-url", baseUrl, "--key", key, "--write"])
  const verdicts = stdout.split("\n").filter((line) => /^(pass|fail) /.test(line))
  expect(verdicts.length, stderr).toBeGreaterThan(50)
  return verdicts.filter((line) => line.startsWith("fail"))
}

it("a restored store contains every pet that was acknowledged before the backup, and its service passes the conformance kit", async () => {
  const folder = temporaryFolder()
  const environment = environmentIn(folder, { LOG_LEVEL: "silent" })
  const service = await serve(environment)
  const { baseUrl, key } = service
  const load = startLoad(baseUrl, key, 8, 3)
  await service.until(() => load.answered() > 300, "the load")
  const before = await everyPetId(baseUrl, key)
  const backup = JSON.parse((await run(environment, "backup", join(folder, "backup.db"), "--json")).stdout)
  const answered = load.answered()
  await service.until(() => load.answered() > answered + 50, "load after the backup")
  const { failures } = await load.stop()
  expect(failures).toEqual([])
  const everything = await everyPetId(baseUrl, key)
  service.signal("SIGTERM")
  await service.ended

  const elsewhere = environmentIn(temporaryFolder(), { LOG_LEVEL: "silent" })
  expect(JSON.parse((await run(elsewhere, "restore", "--with-keys", join(folder, "backup.db"), "--json")).stdout)).toEqual({
    pets: backup.pets,
    checksum: backup.checksum,
    movedAside: null,
    wasDamaged: false,
    keys: { added: 0, ended: 0, revoked: 0, trusted: 1, accepted: 1 },
  })
  const restored = await serve(elsewhere)
  const kept = await everyPetId(restored.baseUrl, key)
  expect(kept.size).toBe(backup.pets)
  expect([...before].filter((id) => !kept.has(id))).toEqual([])
  expect([...kept].filter((id) => !everything.has(id))).toEqual([])

  expect(await failedSentences({ baseUrl: restored.baseUrl, key })).toEqual([])
})
