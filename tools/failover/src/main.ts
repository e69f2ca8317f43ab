/**
 * The failover drill: a primary with a synchronous standby, two processes of the service, a
 * steady load. The network breaks once, then the primary dies, the standby takes over, and every create that was acknowledged
 * must be there, once. Needs the PostgreSQL of the system, and PgBouncer for `--pooler`.
 */
import { chmodSync, chownSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { parseArgs } from "node:util"
import { createKey, startApi } from "./api.ts"
import { database, password, query, startCluster, user } from "./cluster.ts"
import { openLine } from "./line.ts"
import { startLoad } from "./load.ts"
import { startPooler } from "./pooler.ts"
import { findIdentity, findPrograms, Missing } from "./programs.ts"
import { type Report, report } from "./report.ts"

const usage = `npm run drill [-- OPTIONS]

  --pooler                    the service reaches the store through PgBouncer in transaction mode
  --mutant acknowledge-early  the primary acknowledges before the standby has a change: some must be lost
  --mutant repeat-blindly     callers repeat creates without an idempotency key: some must be doubled
  --creates NUMBER            creates a second (default 200)
  --reads NUMBER              reads a second (default 200)
  --seconds NUMBER            load before the primary dies, and after the standby took over (default 5)
  --away NUMBER               seconds until somebody notices that the primary is dead (default 3)
  --json                      print one JSON value
`

const mutants = ["acknowledge-early", "repeat-blindly"]

/** For how long the answers of the store are lost, while it lives, in ms. */
const unheardMillis = 200

/** The standby gets nothing any more for this time before the primary dies: what was acknowledged early is lost then. */
const separatedMillis = 300

const readOptions = () => {
  const { values } = parseArgs({
    options: {
      pooler: { type: "boolean", default: false },
      mutant: { type: "string", default: "" },
      creates: { type: "string", default: "200" },
      reads: { type: "string", default: "200" },
      seconds: { type: "string", default: "5" },
      away: { type: "string", default: "3" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  })
  if (values.mutant !== "" && !mutants.includes(values.mutant)) throw new TypeError(`--mutant: one of ${mutants.join(", ")}`)
  const number = (name: "creates" | "reads" | "seconds" | "away"): number => {
    const value = Number(values[name])
    if (!(value > 0 && value <= 10_000)) throw new TypeError(`--${name}: a number above 0, at most 10000`)
    return value
  }
  return { ...values, creates: number("creates"), reads: number("reads"), seconds: number("seconds"), away: number("away") }
}

type Options = ReturnType<typeof readOptions>

const drill = async (options: Options, undo: Array<() => unknown>): Promise<Report> => {
  const programs = findPrograms(options.pooler)
  const identity = findIdentity()
  const folder = mkdtempSync(join(tmpdir(), "petstore-drill-"))
  undo.push(() => rmSync(folder, { recursive: true, force: true }))
  chmodSync(folder, 0o755)
  if (identity !== undefined) chownSync(folder, identity.uid, identity.gid)

  const cluster = await startCluster(programs, identity, folder, options.mutant === "acknowledge-early" ? "early" : "replicated")
  undo.push(cluster.stop)
  // The address of the store, which moves from the primary to the standby.
  const address = await openLine(cluster.primaryPort)
  undo.push(address.close)
  const pooler =
    programs.pgbouncer === undefined ? undefined : await startPooler(programs.pgbouncer, identity, folder, address.port)
  undo.push(() => pooler?.stop())

  const url = `postgres://${user}:${password}@127.0.0.1:${pooler?.port ?? address.port}/${database}`
  const key = await createKey(url)
  const apis = await Promise.all([startApi(url), startApi(url)])
  for (const { stop } of apis) undo.push(stop)

  const load = startLoad({
    baseUrls: apis.map(({ baseUrl }) => baseUrl),
    key,
    createsPerSecond: options.creates,
    readsPerSecond: options.reads,
    repeatBlindly: options.mutant === "repeat-blindly",
  })
  await sleep(options.seconds * 500)
  // The network breaks: what was sent is committed, and nobody hears of it.
  address.loseAnswers()
  await sleep(unheardMillis)
  address.leadTo(cluster.primaryPort)
  await sleep(options.seconds * 500)
  const awayAtMillis = performance.now()
  cluster.separate()
  await sleep(separatedMillis)
  cluster.killPrimary()
  await sleep(options.away * 1_000)
  await cluster.promote()
  address.leadTo(cluster.standbyPort)
  const backAtMillis = performance.now()
  await sleep(options.seconds * 1_000)
  await load.stop()
  return report(load, await query(cluster.standbyPort, "SELECT id, name FROM pets"), { awayAtMillis, backAtMillis })
}

const show = (found: Report, { mutant, pooler }: Options): string => {
  const seconds = (millis: number) => `${(millis / 1_000).toFixed(1)} s`
  const rows: ReadonlyArray<readonly [string, string | number]> = [
    ["acknowledged", found.acknowledged],
    ["found", found.found],
    ["lost", found.lost],
    ["doubled", found.doubled],
    ["reads that missed an acknowledged pet", found.unfound],
    ["creates refused, errors lasted", `${found.refused.create}, ${seconds(found.errorsLastedMillis.create)}`],
    ["reads refused, errors lasted", `${found.refused.read}, ${seconds(found.errorsLastedMillis.read)}`],
    ["first create after the store was back", seconds(found.recoveredMillis)],
    ["longest wait for an error", seconds(found.slowestErrorMillis)],
  ]
  const head = `Failover${pooler ? " through PgBouncer in transaction mode" : ""}${mutant === "" ? "" : `, mutant ${mutant}`}`
  return [head, ...rows.map(([name, value]) => `  ${name.padEnd(40)}${value}`), ""].join("\n")
}

const main = async (): Promise<number> => {
  const options = readOptions()
  if (options.help) {
    process.stdout.write(usage)
    return 0
  }
  const undo: Array<() => unknown> = []
  const undoAll = async (): Promise<void> => {
    for (const step of undo.splice(0).reverse()) await step()
  }
  const interrupted = (): void => void undoAll().finally(() => process.exit(130))
  process.once("SIGINT", interrupted)
  process.once("SIGTERM", interrupted)
  try {
    const found = await drill(options, undo)
    process.stdout.write(options.json ? `${JSON.stringify(found)}\n` : show(found, options))
    return found.lost === 0 && found.doubled === 0 ? 0 : 1
  } finally {
    await undoAll()
  }
}

try {
  process.exit(await main())
} catch (thrown) {
  const isUsage = thrown instanceof TypeError
  const isKnown = isUsage || thrown instanceof Missing
  process.stderr.write(
    `drill: ${isKnown ? thrown.message : thrown instanceof Error ? (thrown.stack ?? thrown.message) : thrown}\n`,
  )
  if (isUsage) process.stderr.write(usage)
  process.exit(isKnown ? 2 : 1)
}
