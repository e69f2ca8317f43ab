/** The faults that a run can inject into the service, its store and its clients. */
import assert from "node:assert/strict"
import { writeFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { setTimeout as sleep } from "node:timers/promises"
import { signal } from "@petstore/harness/processes"
import type { Random } from "@petstore/harness/random"
import type { PostgresServer } from "@petstore/test/postgres-server"
import type { Tolerated } from "./callers.ts"
import { killContainers } from "./containers.ts"
import { nameTwice, removeLog, takeName } from "./names.ts"
import type { Round } from "./plan.ts"
import { restoreAfterCrash } from "./restores.ts"
import { readBesideWriter } from "./second-service.ts"
import type { Service } from "./service.ts"
import { fillDisk } from "./small-disk.ts"
import type { Stage } from "./stage.ts"
import { alterSystem } from "./standby.ts"
import { type Need, statementMillis, type TorturedStore } from "./stores.ts"
import { tamper } from "./strace.ts"

/** Runs a fault, and leaves the service running and healthy. If the result is a text, it describes the fault's effect. */
type Strike = (stage: Stage, random: Random, round: Round) => Promise<unknown>

/** Ends a fault, and returns its effect as above. `isKilled`: whether the service was killed during the fault. */
type End = (isKilled: boolean) => unknown

export interface Fault extends Tolerated {
  readonly name: string
  readonly needs: ReadonlyArray<Need>
  /** Whether, in about half of the fault's rounds, the service gets a SIGKILL in the middle of the fault. */
  readonly mayBeKilled?: true
  readonly strike: Strike
}

/** A fault that ends the service. An operator starts it again. */
const ending =
  (end: (service: Service, random: Random) => Promise<void>): Strike =>
  async ({ service }, random) => {
    await end(service, random)
    await service.start()
  }

/** A part that only some stores have. */
const partOf = <Part extends "server" | "nodes" | "pair">({ store }: Stage, part: Part): NonNullable<TorturedStore[Part]> =>
  store[part] ?? assert.fail(`the store has no ${part}`)

/** Ends a fault. In some rounds the service is killed first, while the fault lasts. */
const endBy = async ({ service }: Stage, { isKilled }: Round, end: End): Promise<unknown> => {
  if (isKilled) await service.kill()
  const effect = await end(isKilled)
  if (isKilled) await service.start()
  return effect
}

/** A fault that lasts for a while. `begin` returns the function that ends it. The service must recover on its own. */
const lasting =
  (begin: (stage: Stage, random: Random) => End | Promise<End>): Strike =>
  async (stage, random, round) => {
    const end = await begin(stage, random)
    await sleep(round.lastsMillis)
    return endBy(stage, round, end)
  }

/** A fault that strace injects into system calls on the store's files. */
const tampering = (inject: (random: Random) => string): Strike =>
  lasting(async ({ service, store }, random) => {
    const end = await tamper(service.pid, store.files, inject(random))
    return async (isKilled) => `${await end(isKilled)} calls`
  })

const endingServer = (end: (server: PostgresServer) => Promise<void>): Strike =>
  lasting(async (stage) => {
    const server = partOf(stage, "server")
    await end(server)
    return server.start
  })

const refuseWrites: Strike = async (stage, _random, round) => {
  for (const change of ["SET default_transaction_read_only = on", "RESET default_transaction_read_only"]) {
    await alterSystem(partOf(stage, "server"), change)
    await sleep(round.lastsMillis)
  }
}

/** How long a statement may remain pending after its timeout before its connection is cut, in ms. */
const silenceMillis = 600

/** Makes the server unresponsive, on existing and new connections, for longer than a statement may take. */
const silenceServer = lasting(async (stage) => {
  const processes = partOf(stage, "server").processes()
  signal("SIGSTOP", processes)
  await sleep(statementMillis + silenceMillis)
  return () => signal("SIGCONT", processes.toReversed())
})

/** Makes the server send an unrelated warning with every pet, as PostgreSQL does before transaction ID wraparound. */
const warnAtPets = lasting(async (stage) => {
  const run = (text: string) => partOf(stage, "server").run(text, new URL(stage.store.databaseUrl).pathname.slice(1))
  await run(
    `CREATE OR REPLACE FUNCTION warn() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       RAISE WARNING 'database must be vacuumed within 39985967 transactions'; RETURN NEW;
     END $$`,
  )
  await run("CREATE TRIGGER warn BEFORE INSERT ON pets FOR EACH ROW EXECUTE FUNCTION warn()")
  return () => run("DROP TRIGGER warn ON pets")
})

/** A fault in one of these cluster nodes, by their places in the cluster's list: the coordinator, then two workers. */
const strikingNode = (places: readonly [number, ...Array<number>], begin: "kill" | "freeze", end: "start" | "thaw"): Strike =>
  lasting(async (stage, random) => {
    const place = random.pick(places)
    const node = partOf(stage, "nodes")[place] ?? assert.fail(`the cluster has no node ${place}`)
    await node[begin]()
    return async () => {
      await node[end]()
      return `node ${place}`
    }
  })

/** Sessions that wait for a synchronous standby. */
const standbyWaits = "pg_stat_activity WHERE wait_event = 'SyncRep'"

/** Prevents every standby from confirming commits, and cancels the waits. During this time, no write may be acknowledged. */
const cancelStandbyWaits: Strike = async (stage, _random, round) => {
  const { ledger } = stage
  const server = partOf(stage, "server")
  let cancelled = 0
  await alterSystem(server, "SET synchronous_standby_names = 'missing'")
  try {
    // The setting is in effect when the first session waits.
    const deadlineMillis = performance.now() + 10_000
    while ((await server.run(`SELECT pid FROM ${standbyWaits}`)).length === 0) {
      if (performance.now() > deadlineMillis) throw new Error("no session waited for the missing standby")
    }
    ledger.isUnconfirmed = true
    const endMillis = performance.now() + round.lastsMillis
    while (performance.now() < endMillis) {
      cancelled += (await server.run(`SELECT pg_cancel_backend(pid) FROM ${standbyWaits}`)).length
    }
  } finally {
    ledger.isUnconfirmed = false
    await alterSystem(server, "SET synchronous_standby_names = ''")
  }
  return `${cancelled} waits`
}

/** Three days, less than the lifetime of an idempotency key (12.13), so that every retry is still recognized. */
const clockMoves = 3 * 24 * 60 * 60 * 1000

/** Common parts of the faults: their requirements, and the failures that clients must tolerate. */
const ofKill = { needs: [], mayBreak: true } as const
const ofWrites = { mayRefuse: true, mayBeKilled: true } as const
const ofFiles = { needs: ["strace", "database file"], ...ofWrites } as const
const ofServer = { needs: ["database server"], mayRefuse: true } as const
const ofStandby = { needs: ["standby"], mayRefuse: true } as const
const ofCluster = { needs: ["cluster"], mayRefuse: true } as const

export const faults: ReadonlyArray<Fault> = [
  { name: "kill", ...ofKill, strike: ending((service) => service.kill()) },
  {
    name: "kill twice",
    ...ofKill,
    strike: ending(async (service, random) => {
      await service.kill()
      await service.startInVain(random.integer(0, 600))
    }),
  },
  { name: "stop", ...ofKill, strike: ending((service) => service.stop()) },
  {
    name: "freeze",
    needs: [],
    mayBeKilled: true,
    strike: lasting(({ service }) => {
      service.signal("SIGSTOP")
      return (isKilled) => isKilled || service.signal("SIGCONT")
    }),
  },
  // Clients disconnect in the middle of a body in every round. In this round, nothing else happens.
  { name: "cut bodies", needs: [], strike: lasting(() => () => {}) },
  {
    name: "clock",
    needs: [],
    strike: lasting(({ service, clockFile }, random) => {
      const offsetMillis = random.integer(-clockMoves, clockMoves)
      writeFileSync(clockFile, String(offsetMillis))
      service.signal("SIGUSR2")
      return () => `${Math.round(offsetMillis / 60_000)} min`
    }),
  },
  { name: "restore", needs: ["database file"], mayBreak: true, strike: restoreAfterCrash },
  // This adds clients, and on a busy machine some of them give up.
  { name: "second service", needs: ["database server"], mayBreak: true, strike: readBesideWriter },
  {
    name: "containers are killed",
    needs: ["containers"],
    ...ofWrites,
    strike: async (stage, random, round) => {
      const count = await killContainers(stage.commands, round.lastsMillis, random)
      return endBy(stage, round, () => `${count} containers`)
    },
  },
  {
    name: "locked file",
    needs: ["lock of SQLite"],
    ...ofWrites,
    strike: lasting(({ store }) => {
      const other = new DatabaseSync(store.files[0] ?? "", { timeout: 5000 })
      other.exec("BEGIN IMMEDIATE")
      return () => {
        other.exec("ROLLBACK")
        other.close()
      }
    }),
  },
  { name: "disk full", needs: ["small disk"], ...ofWrites, strike: lasting(({ folder }) => fillDisk(folder)) },
  {
    name: "fsync fails",
    ...ofFiles,
    strike: tampering((random) => `fsync,fdatasync:error=EIO:when=${random.integer(1, 5)}+${random.integer(1, 3)}`),
  },
  {
    name: "fsync is slow",
    needs: ofFiles.needs,
    mayBeKilled: true,
    strike: tampering((random) => `fsync,fdatasync:delay_exit=${random.integer(5_000, 40_000)}`),
  },
  {
    name: "write fails",
    ...ofFiles,
    strike: tampering(
      (random) =>
        `pwrite64,write,ftruncate:error=${random.pick(["EIO", "ENOSPC"])}:when=${random.integer(1, 9)}+${random.integer(1, 5)}`,
    ),
  },
  { name: "read fails", ...ofFiles, strike: tampering((random) => `pread64:error=EIO:when=1+${random.integer(1, 3)}`) },
  {
    name: "file system is read-only",
    ...ofFiles,
    strike: tampering(() => "pwrite64,write,ftruncate,fsync,fdatasync:error=EROFS"),
  },
  { name: "second name", needs: ["lock of SQLite"], strike: nameTwice },
  { name: "file is replaced", needs: ["lock of SQLite"], mayBreak: true, mayRefuse: true, mayBeKilled: true, strike: takeName },
  { name: "log is removed", needs: ["lock of SQLite"], mayBreak: true, mayRefuse: true, strike: removeLog },
  { name: "database stops", ...ofServer, strike: endingServer((server) => server.halt()) },
  { name: "database is killed", ...ofServer, strike: endingServer((server) => server.kill()) },
  { name: "database takes no writes", ...ofServer, strike: refuseWrites },
  { name: "database says nothing", ...ofServer, strike: silenceServer },
  { name: "database warns", needs: ["database server"], strike: warnAtPets },
  { name: "standby wait is cancelled", ...ofServer, strike: cancelStandbyWaits },
  { name: "responses are lost", ...ofStandby, strike: (stage, _, round) => partOf(stage, "pair").loseAnswers(round.lastsMillis) },
  { name: "primary dies", ...ofStandby, strike: (stage) => partOf(stage, "pair").failOver() },
  { name: "worker is killed", ...ofCluster, strike: strikingNode([1, 2], "kill", "start") },
  { name: "worker says nothing", ...ofCluster, strike: strikingNode([1, 2], "freeze", "thaw") },
  { name: "coordinator is killed", ...ofCluster, strike: strikingNode([0], "kill", "start") },
]
