/** Reports that the process has no file descriptors left: Node then closes new connections without an event. */
import { close, open } from "node:fs"
import type { Logger } from "pino"

/** How often to try, and how often to say so while it lasts, in ms. */
const intervalMillis = 1_000
const repeatMillis = 60_000

const remedy = "raise the limit on open files (ulimit -n, LimitNOFILE) above CONNECTION_LIMIT, or lower CONNECTION_LIMIT"

/** Opens a file every second. Does not keep the process alive. */
export const watchFileDescriptors = (logger: Pick<Logger, "error">): void => {
  let quietUntilMillis = 0
  const look = (): void =>
    open(process.execPath, (error, descriptor) => {
      if (error === null) return close(descriptor)
      if (!/^E[MN]FILE$/.test(error.code ?? "") || performance.now() < quietUntilMillis) return
      quietUntilMillis = performance.now() + repeatMillis
      logger.error({ code: error.code }, `no file descriptors are left, so new connections are closed: ${remedy}`)
    })
  setInterval(look, intervalMillis).unref()
}
