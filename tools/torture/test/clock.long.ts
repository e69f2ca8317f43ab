/** A clock that is set back must not extend the life of a revoked key. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { createKey, petstore, TemporaryStore } from "@petstore/harness/command"
import { startService } from "@petstore/harness/serving"
import { expect, it } from "vitest"

/** The time in the last line of the log, according to the service's clock. */
const lastTime = (log: string): number => Date.parse([...log.matchAll(/"time":"([^"]+)"/g)].at(-1)?.[1] ?? "")

const hourMillis = 60 * 60 * 1000

it("the service refuses a revoked key within 5 seconds, even if the clock is set back by an hour", async () => {
  const store = new TemporaryStore()
  const clockFile = join(store.directory, "clock")
  writeFileSync(clockFile, "0")
  try {
    await petstore(store.environment, "accounts", "create", "clock")
    const { id, key } = await createKey(store.environment, "clock")
    const clock = {
      NODE_OPTIONS: `--import=${new URL("../src/clock.ts", import.meta.url).href}`,
      TORTURE_CLOCK: clockFile,
      LOG_LEVEL: "info",
    }
    const serving = await startService({ ...store.environment, ...clock })
    const ask = () => fetch(`${serving.baseUrl}/pets`, { headers: { Authorization: `Bearer ${key}` } })
    try {
      expect((await ask()).status).toBe(200)
      writeFileSync(clockFile, String(-hourMillis))
      process.kill(serving.pid, "SIGUSR2")
      // The log must show the moved clock, or this test would not prove anything.
      for (let asked = 0; !(lastTime(serving.printed()) <= Date.now() - hourMillis / 2); asked += 1) {
        expect(asked).toBeLessThan(600)
        expect((await ask()).status).toBe(200)
        await sleep(100)
      }
      await petstore(store.environment, "keys", "revoke", id)
      await sleep(5_000)
      expect((await ask()).status).toBe(401)
    } finally {
      await serving.stop()
    }
  } finally {
    store.remove()
  }
})
