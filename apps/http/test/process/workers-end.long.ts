/** Tests how several processes on one port exit: on a signal, after the primary's death, or after a failed start. */
import { DatabaseSync } from "node:sqlite"
import { environmentIn } from "@petstore/harness/command"
import { startLoad } from "@petstore/harness/load"
import { isRunning } from "@petstore/harness/processes"
import { serve, temporaryFolder } from "@petstore/harness/testing"
import { describe, expect, it } from "vitest"
import { startCallers } from "../restarts.js"
import { faults, twoWorkers } from "../two-workers.js"

describe("a service with WORKERS=2", () => {
  it("exits soon after SHUTDOWN_MS even if a worker is stuck", async () => {
    const service = await twoWorkers({ SHUTDOWN_MS: "3000" })
    const [stuck = 0] = service.workerPids()
    process.kill(stuck, "SIGSTOP")
    const toldAt = performance.now()
    service.signal("SIGTERM")
    expect(await service.ended).toEqual({ code: 0, signal: null })
    // SHUTDOWN_MS plus time for a busy machine, and less than the default. A worker that is not killed would stay forever.
    expect(performance.now() - toldAt).toBeLessThan(9_000)
  })

  it("finishes requests in flight if the primary is killed, and leaves no worker running", async () => {
    const service = await twoWorkers()
    const pids = service.workerPids()
    const load = startLoad(service.baseUrl, service.key, 4, 5)
    await service.until(() => load.answered() > 20, "the load")
    service.signal("SIGKILL")
    await service.ended
    const { failures } = await load.stop()
    expect(failures.filter((failure) => !failure.includes("a new connection: "))).toEqual([])
    while (pids.some(isRunning)) await new Promise((resolve) => setTimeout(resolve, 20))
  })

  it("exits with code 1 and a clear message if its workers exit during their start", async () => {
    const folder = temporaryFolder()
    const service = await serve(environmentIn(folder, { WORKERS: "2" }))
    // With a schema from a future release, workers can no longer open the store.
    const file = new DatabaseSync(`${folder}/petstore.db`)
    file.exec("PRAGMA user_version = 1000")
    file.close()
    for (const pid of service.workerPids()) process.kill(pid, "SIGKILL")
    expect(await service.ended).toEqual({ code: 1, signal: null })
    expect(service.stderr).toMatch(
      /^petstore: Workers exit as soon as they start \([0-9]+ times in a row\)\. The last reason: The store has schema version 1000/,
    )
    expect(service.workerPids()).toEqual([])
  })

  it("stops its workers on SIGTERM under load, acknowledges every stored write and exits with code 0", async () => {
    const folder = temporaryFolder()
    const service = await serve(environmentIn(folder, { WORKERS: "2", LOG_LEVEL: "warn" }))
    const callers = startCallers(service, 8)
    await service.until(() => callers.sent() > 200, "the load")
    service.signal("SIGTERM")
    expect(await service.ended).toEqual({ code: 0, signal: null })
    // A later connection is refused, or reset while it waits to be accepted. No client gets half a response.
    const problems = await callers.stop()
    expect(problems.filter((problem) => !problem.includes("; received 0 bytes"))).toEqual([])
    expect(faults(service)).toEqual([])
    const again = await serve(environmentIn(folder))
    expect(await callers.compare(again)).toEqual([])
  })

  it("stops on a SIGTERM to all of its processes, just as on a SIGTERM to the primary alone", async () => {
    const service = await twoWorkers()
    for (const pid of [...service.workerPids(), service.pid]) process.kill(pid, "SIGTERM")
    expect(await service.ended).toEqual({ code: 0, signal: null })
    expect(service.logLines().filter(({ level }) => level !== "info")).toEqual([])
  })

  it("exits together with its workers on the second signal", async () => {
    const service = await twoWorkers({ SHUTDOWN_MS: "60000" })
    const load = startLoad(service.baseUrl, service.key, 2, 100)
    await service.until(() => load.answered() > 2, "the load")
    const pids = service.workerPids()
    service.signal("SIGTERM")
    service.signal("SIGINT")
    expect((await service.ended).code).toBe(1)
    await load.stop()
    expect(pids.filter((pid) => service.workerPids().includes(pid))).toEqual([])
  })
})
