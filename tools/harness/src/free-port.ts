/** Finds a port for a program that cannot pick a free port itself, or that restarts on one port. */
import { once } from "node:events"
import { createServer } from "node:net"

/** Outgoing connections use higher ports on Linux (ip(7)). Even in TIME_WAIT, one would block a restarted program on its port. */
const [lowest, highest] = [10_240, 32_767]

const isFree = async (port: number): Promise<boolean> => {
  await using probe = createServer()
  try {
    await once(probe.listen(port, "127.0.0.1"), "listening")
    return true
  } catch {
    return false
  }
}

export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = lowest + Math.floor(Math.random() * (highest - lowest + 1))
    if (await isFree(port)) return port
  }
}
