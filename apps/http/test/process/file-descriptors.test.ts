/** A service with fewer file descriptors than connections. */
import { connect, type Socket } from "node:net"
import { environmentIn } from "@petstore/harness/command"
import { serve, temporaryFolder } from "@petstore/harness/testing"
import { expect, it, onTestFinished } from "vitest"

it("a service without file descriptors for more connections says so in its log, and goes on", async () => {
  const launcher = ["sh", "-c", 'ulimit -n 100 && exec "$@"', "sh"]
  const service = await serve(environmentIn(temporaryFolder(), { LOG_LEVEL: "error" }), { launcher })
  const { hostname, port } = new URL(service.baseUrl)
  const sockets = new Set<Socket>()
  let isEnough = false
  const hold = (): void => {
    const socket = connect(Number(port), hostname).on("error", () => {})
    sockets.add(socket)
    // The service closes connections beyond its descriptors, and silent ones after a while.
    socket.once("close", () => {
      sockets.delete(socket)
      if (!isEnough) setTimeout(hold, 100)
    })
  }
  const release = (): void => {
    isEnough = true
    for (const socket of sockets) socket.destroy()
  }
  onTestFinished(release)
  for (let count = 0; count < 150; count += 1) hold()
  const said = () => service.logLines().find(({ msg }) => String(msg).startsWith("no file descriptors are left"))
  await service.until(() => said() !== undefined, "the line in the log")
  expect(said()).toMatchObject({ code: "EMFILE", msg: expect.stringContaining("LimitNOFILE") })
  release()
  await expect
    .poll(() =>
      fetch(new URL("/healthz", service.baseUrl)).then(
        ({ status }) => status,
        () => "refused",
      ),
    )
    .toBe(200)
})
