/** A service with fewer file descriptors than connections. */
import { once } from "node:events"
import { connect } from "node:net"
import { environmentIn } from "@petstore/harness/command"
import { serve, temporaryFolder } from "@petstore/harness/testing"
import { expect, it, onTestFinished } from "vitest"

it("a service without file descriptors for more connections says so in its log, and goes on", async () => {
  const launcher = ["sh", "-c", 'ulimit -n 100 && exec "$@"', "sh"]
  const service = await serve(environmentIn(temporaryFolder(), { LOG_LEVEL: "error" }), { launcher })
  const { hostname, port } = new URL(service.baseUrl)
  const sockets = await Promise.all(
    Array.from({ length: 150 }, async () => {
      const socket = connect(Number(port), hostname).on("error", () => {})
      onTestFinished(() => void socket.destroy())
      await Promise.race([once(socket, "connect"), once(socket, "close")])
      return socket
    }),
  )
  const said = () => service.logLines().find(({ msg }) => String(msg).startsWith("no file descriptors are left"))
  await service.until(() => said() !== undefined, "the line in the log")
  expect(said()).toMatchObject({ code: "EMFILE", msg: expect.stringContaining("LimitNOFILE") })
  for (const socket of sockets) socket.destroy()
  await expect
    .poll(() =>
      fetch(new URL("/healthz", service.baseUrl)).then(
        ({ status }) => status,
        () => "refused",
      ),
    )
    .toBe(200)
})
