import { spawn } from "node:child_process"
import { once } from "node:events"
import { readdirSync } from "node:fs"
import { connect } from "node:net"
import { text } from "node:stream/consumers"
import { temporaryFolder } from "@petstore/harness/testing"
import { expect, it } from "vitest"

const untilRefused = async (url: string): Promise<void> => {
  for (;;) {
    const probe = connect(Number(new URL(url).port), "127.0.0.1")
    try {
      await once(probe, "connect")
    } catch {
      return
    } finally {
      probe.destroy()
    }
  }
}

it("a program that exits while its PostgreSQL server runs leaves no server and no files, and keeps its exit code", async () => {
  // Only the owner can enter this folder, and a server started by root runs as another user.
  const folder = temporaryFolder()
  const program = `
    import { startServer } from "@petstore/test/postgres-server"
    const server = await startServer([])
    console.log(server.url("postgres"))
    process.exit(2)`
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    cwd: import.meta.dirname,
    // biome-ignore lint/style/noProcessEnv: the test's environment, with another folder
    env: { ...process.env, TMPDIR: folder, NODE_COMPILE_CACHE: "" },
    stdio: ["ignore", "pipe", "inherit"],
  })
  const ended = once(child, "exit")
  const url = await text(child.stdout)
  expect(await ended).toEqual([2, null])
  await untilRefused(url)
  expect(readdirSync(folder)).toEqual([])
})
