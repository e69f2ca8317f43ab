/** Leaves a line in the machine's log for each change to accounts and keys. */
import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { operatorName } from "../config.js"
import { logLine } from "../telemetry/log-line.js"
import { messageOf, warn } from "./program.js"

/** The socket of syslog(3), which the journal reads too. A container has none. */
const socket = "/dev/log"

/** Node has no datagram sockets of this kind, and each Linux with such a socket has logger(1). */
export const tellSystemLog = (done: string, facts: Readonly<Record<string, string>>): void => {
  if (!existsSync(socket)) return
  const line = logLine("info", { operator: operatorName(), ...facts }, done)
  try {
    execFileSync("logger", ["--tag", "petstore", "--priority", "auth.notice", "--", line.trimEnd()], { stdio: "pipe" })
  } catch (thrown) {
    warn(`The system's log has no line of this: ${messageOf(thrown)}`)
  }
}
