/** A service still responds and stops in time after the reader of its standard output has stopped reading. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { commandPath, environmentIn } from "@petstore/harness/command"
import { temporaryFolder } from "@petstore/harness/testing"
import { newPostgresDatabase } from "@petstore/test/postgres"
import { expect, it, onTestFinished } from "vitest"

it.for(["1", "2"])("the service responds and stops while its standard output is not read, with WORKERS=%s", async (workers) => {
  const store = workers === "1" ? {} : { DATABASE_URL: await newPostgresDatabase() }
  const environment = environmentIn(temporaryFolder(), { ...store, WORKERS: workers, SHUTDOWN_MS: "20000" })
  const child = spawn(commandPath("petstore"), ["serve"], { env: environment, stdio: ["ignore", "pipe", "ignore"] })
  onTestFinished(() => void child.kill("SIGKILL"))
  let printed = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed += text
  })
  while (!printed.includes("shown once")) await once(child.stdout, "data")
  const origin = /is served at (\S+)\/v1/.exec(printed)?.[1] ?? ""
  child.stdout.pause()

  for (let turn = 0; turn < 50; turn += 1) {
    const responses = await Promise.all(Array.from({ length: 40 }, () => fetch(`${origin}/healthz?${"x".repeat(200)}`)))
    for (const response of responses) {
      expect(response.status).toBe(200)
      await response.text()
    }
  }
  const stoppedAtMillis = performance.now()
  child.kill("SIGTERM")
  await once(child, "exit")
  expect(performance.now() - stoppedAtMillis).toBeLessThan(20_000)
  expect(child.exitCode).toBe(0)
})
