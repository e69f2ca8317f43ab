/** PgBouncer in transaction mode: every statement may run on another connection to the server. */
import { writeFileSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { database, password, user } from "./cluster.ts"
import { freePort } from "./line.ts"
import { type Identity, start, until } from "./programs.ts"

export interface Pooler {
  readonly port: number
  readonly stop: () => Promise<void>
}

/** Starts PgBouncer in a folder, in front of a port. It asks a server that is away again every second. */
export const startPooler = async (
  program: string,
  identity: Identity | undefined,
  folder: string,
  serverPort: number,
): Promise<Pooler> => {
  const port = await freePort()
  const users = join(folder, "users.txt")
  writeFileSync(users, `"${user}" "${password}"\n`, { mode: 0o644 })
  const settings = join(folder, "pgbouncer.ini")
  writeFileSync(
    settings,
    `[databases]
${database} = host=127.0.0.1 port=${serverPort} dbname=${database}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = transaction
default_pool_size = 10
server_connect_timeout = 1
server_login_retry = 1
query_wait_timeout = 2
`,
    { mode: 0o644 },
  )
  const { process, output, end } = start(identity, program, [settings])
  try {
    await until("PgBouncer answers", () => {
      if (process.exitCode !== null) throw new Error("it ended")
      return new Promise((resolve) => {
        const probe = connect(port, "127.0.0.1", () => {
          probe.destroy()
          resolve(true)
        })
        probe.on("error", () => resolve(false))
      })
    })
  } catch (thrown) {
    await end("SIGKILL")
    throw new Error(`PgBouncer did not start:\n${output()}`, { cause: thrown })
  }
  return { port, stop: () => end("SIGKILL") }
}
