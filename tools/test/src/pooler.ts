/** Starts PgBouncer in transaction mode, in which each transaction can use a different connection to the server. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { freePort } from "@petstore/harness/free-port"
import { Client } from "pg"

/** The timeout until a pooler listens, in ms. */
const startMillis = 30_000

const isListening = async (port: number): Promise<boolean> => {
  const probe = connect(port, "127.0.0.1")
  try {
    await once(probe, "connect")
    return true
  } catch {
    return false
  } finally {
    probe.destroy()
  }
}

/** The timeout until a pooler reaches its server, in ms. */
const servingMillis = 30_000

/** Starts a pooler in front of the database at a URL. Writes its settings to the caller's folder; the caller may add more. */
export const startPooler = async (folder: string, server: URL, settings = "") => {
  const port = await freePort()
  const database = server.pathname.slice(1)
  const users = join(folder, "users.txt")
  writeFileSync(users, `"${server.username}" "${decodeURIComponent(server.password)}"\n`, { mode: 0o644 })
  const settingsFile = join(folder, "pgbouncer.ini")
  writeFileSync(
    settingsFile,
    `[databases]
${database} = host=${server.hostname} port=${server.port} dbname=${database}
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
${settings}
${process.getuid?.() === 0 ? "user = postgres" : ""}
`,
    { mode: 0o644 },
  )
  const pooler = spawn("pgbouncer", [settingsFile], { stdio: "ignore", env: { PATH: "/usr/sbin:/usr/local/bin:/usr/bin:/bin" } })
  const ended = once(pooler, "exit")
  ended.catch(() => {})
  const tooLateAt = performance.now() + startMillis
  while (!(await isListening(port))) {
    if (performance.now() > tooLateAt) throw new Error("PgBouncer did not respond (Debian: apt-get install pgbouncer)")
    await sleep(20)
  }
  const url = new URL(server)
  url.port = String(port)
  return {
    url: url.href,
    /** Waits until the pooler reaches its server. After a failed login it refuses all new ones for a second. */
    untilServing: async () => {
      const tooLateAt = performance.now() + servingMillis
      for (;;) {
        const client = new Client(url.href).on("error", () => {})
        try {
          await client.connect()
          await client.query("SELECT 1")
          return
        } catch (cause) {
          if (performance.now() > tooLateAt) throw cause
          await sleep(50)
        } finally {
          await client.end()
        }
      }
    },
    stop: async () => {
      pooler.kill("SIGKILL")
      await ended
    },
  }
}
