/** If a service is stopped while it starts its workers, it starts no more of them, and exits. */
import { readFileSync } from "node:fs"
import { environmentIn } from "@petstore/harness/command"
import { Service } from "@petstore/harness/serving"
import { temporaryFolder } from "@petstore/harness/testing"
import { expect, it, onTestFinished } from "vitest"

const starting = async () => {
  const settings = { WORKERS: "3", SHUTDOWN_MS: "3000", LOG_LEVEL: "info" }
  const service = new Service(environmentIn(temporaryFolder(), settings), {})
  onTestFinished(() => service.kill())
  // The launcher has other children before it starts workers.
  const isWorker = (pid: number): boolean => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("\0worker\0")
    } catch {
      return false
    }
  }
  await service.until(() => service.workerPids().some(isWorker), "the first worker to be started")
  return service
}

const endOf = (service: Service) =>
  Promise.race([service.ended, new Promise((resolve) => setTimeout(resolve, 8_000, "the service is still running").unref())])

it.for([[["SIGTERM"]], [["SIGINT"]], [["SIGHUP", "SIGTERM"]]] as const)(
  "a service exits with code 0 if it gets %s while its first worker starts",
  async ([signals]) => {
    for (const afterMillis of [0, 150, 300]) {
      const service = await starting()
      await new Promise((resolve) => setTimeout(resolve, afterMillis))
      for (const signal of signals) service.signal(signal)
      expect([afterMillis, await endOf(service)]).toEqual([afterMillis, { code: 0, signal: null }])
    }
  },
)
