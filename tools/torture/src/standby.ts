/** A primary and its synchronous standby behind one address. When the primary dies, the standby takes its place. */
import { setTimeout as sleep } from "node:timers/promises"
import { openProxy } from "@petstore/harness/proxy"
import { startPooler } from "@petstore/test/pooler"
import { type PostgresServer, startServer, startStandby } from "@petstore/test/postgres-server"
import { untilKnown } from "./callers.ts"

const database = "torture"

/** How long the primary runs without its standby before the kit kills it, in ms. Early acknowledgements are then lost. */
const separatedMillis = 300

/** How long the primary's death goes unnoticed, in ms. */
const pauseMillis = 500

/** A new standby needs the complete log since the standby was copied, so the primary keeps this much of the log. */
const settings = ["wal_keep_size=256MB", "max_wal_size=256MB"]

/** Changes a server-wide setting while the server runs: `SET name = value` or `RESET name`. */
export const alterSystem = async ({ run }: PostgresServer, change: string): Promise<void> => {
  await run(`ALTER SYSTEM ${change}`)
  await run("SELECT pg_reload_conf()")
}

export type ServerPair = Awaited<ReturnType<typeof openServerPair>>

/** @param acknowledgesEarly  whether the primary acknowledges writes that no standby has, so that some are lost */
export const openServerPair = async (folder: string, withPooler: boolean, acknowledgesEarly: boolean) => {
  const start = [...settings, `synchronous_commit=${acknowledgesEarly ? "local" : "on"}`]
  let primary = await startServer(start, folder)
  await primary.createDatabase(database)
  // The connection from the standby to the primary.
  let replication = await openProxy(primary.url("postgres"))
  let standby: PostgresServer
  const follow = async (): Promise<void> => {
    standby = await startStandby(primary, replication.url, start, folder)
    await alterSystem(primary, "SET synchronous_standby_names = '*'")
    const isSynchronous = async (): Promise<boolean> => {
      const [follower] = await primary.run("SELECT sync_state FROM pg_stat_replication").catch(() => [])
      return follower?.["sync_state"] === "sync"
    }
    if (!(await untilKnown(isSynchronous))) throw new Error("the standby did not become synchronous")
  }
  await follow()
  const address = await openProxy(primary.url(database))
  const pooler = withPooler ? await startPooler(folder, new URL(address.url)) : undefined
  return {
    databaseUrl: pooler?.url ?? address.url,
    /** Drops the running primary's responses for this many ms, then restores the network. */
    loseAnswers: async (millis: number): Promise<void> => {
      address.loseAnswers()
      await sleep(millis)
      address.cut()
    },
    /** Kills the primary. The standby takes its place and gets its own standby. */
    failOver: async (): Promise<void> => {
      replication.loseAnswers()
      await sleep(separatedMillis)
      await primary.strikeDead()
      replication.close()
      await sleep(pauseMillis)
      await standby.run("SELECT pg_promote(true)")
      const dead = primary
      primary = standby
      address.leadTo(primary.url(database))
      await dead.stop()
      replication = await openProxy(primary.url("postgres"))
      await follow()
    },
    settle: async (): Promise<void> => {
      await pooler?.untilServing()
      await primary.untilIdle()
    },
    close: async (): Promise<void> => {
      await pooler?.stop()
      for (const proxy of [address, replication]) proxy.close()
      await standby.stop()
      await primary.stop()
    },
  }
}
