/** The service as process 1 in a container, to which the kernel delivers only signals that have a handler. */
import { spawn, spawnSync } from "node:child_process"
import { join } from "node:path"
import { environmentIn } from "@petstore/harness/command"
import { childrenOf, signal } from "@petstore/harness/processes"
import { temporaryFolder } from "@petstore/harness/testing"
import { describe, expect, it, onTestFinished } from "vitest"

const namespace = ["--pid", "--fork", "--kill-child"]
const hasNamespaces = spawnSync("unshare", [...namespace, "true"]).status === 0

const main = join(import.meta.dirname, "../../dist/main.js")

describe.skipIf(!hasNamespaces)("process 1 (skipped if unshare cannot create a PID namespace)", () => {
  it("exits on the first SIGTERM that the kernel delivers, long before it serves", async () => {
    const service = spawn("unshare", [...namespace, process.execPath, main, "serve"], {
      env: environmentIn(temporaryFolder()),
      stdio: ["ignore", "pipe", "inherit"],
    })
    onTestFinished(() => void service.kill("SIGKILL"))
    let said = ""
    service.stdout.on("data", (bytes: Buffer) => {
      said += bytes
    })
    let isOver = false
    const ended = new Promise((resolve) => service.once("close", (code, signal) => resolve(code ?? signal))).finally(() => {
      isOver = true
    })
    while (!isOver) {
      signal("SIGTERM", childrenOf(service.pid ?? 0))
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
    // The signal terminates process 1 directly if it arrives while Node starts its threads, which block the signal.
    expect(["SIGTERM", 143]).toContain(await ended)
    expect(said).toBe("")
  })
})
