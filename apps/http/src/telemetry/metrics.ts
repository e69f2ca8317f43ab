/** A process's metrics. docs/reference/metrics.md is made from their names and help texts. */
import cluster from "node:cluster"
import { type ObserveClosing, safeMethods } from "@petstore/bounded-http"
import { type Inventory, petStatuses, StorageUnavailable, type Webhook } from "@petstore/core"
import type { PoolState } from "@petstore/storage"
import type { NodeState } from "@petstore/storage/internal"
import { Cause, Exit } from "effect"
import type { Aggregator, Registry } from "prom-client"
import { version } from "../package-files.js"
import type { Series } from "./duration-histogram.js"
import { getOrInsert } from "./get-or-insert.js"
import type { RequestObserver } from "./request-observer.js"
import type { StoreObserver } from "./store-observer.js"

/** Bucket bounds for requests, in s. Responses from memory take less than the first, and clients give up before the last. */
const requestBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
/** Bucket bounds for store calls, in s. */
const storeBuckets = [0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]
/** Bucket bounds for the number of writes in a transaction. */
const batchBuckets = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]

/** How many accounts have their own series. All other accounts share one, which limits the number of series in Prometheus. */
const accountsNamed = 200

const petsName = "petstore_pets"
const backupName = "petstore_backup_timestamp_seconds"

const keysName = "petstore_keys_expiring"
const bytesName = "petstore_store_bytes"

/** The metrics of the store, not of a process. */
const namesOfStore: ReadonlySet<string> = new Set([petsName, backupName, keysName, bytesName])

/** Whether the store failed, as opposed to the request. */
const isStoreError = (exit: Exit.Exit<unknown, unknown>): boolean =>
  Exit.isFailure(exit) &&
  (Cause.isDie(exit.cause) || [...Cause.failures(exit.cause)].some((failure) => failure instanceof StorageUnavailable))

type Values = Iterable<readonly [labels: Readonly<Record<string, string>>, value: number]>

/** Starts measuring. Called only if metrics are served, because measuring the event loop and the garbage collector takes time. */
export const startMetrics = async () => {
  const { AggregatorRegistry, collectDefaultMetrics, Counter, Gauge, Histogram, Registry } = await import("prom-client")
  const { durationHistogram } = await import("./duration-histogram.js")
  const register = new Registry()
  const registers = [register]
  collectDefaultMetrics({ register })

  const requestDurations = durationHistogram(
    "petstore_http_request_duration_seconds",
    "Time from the head of a request to the end of its response, by operation and status.",
    requestBuckets,
    registers,
  )
  const storeDurations = durationHistogram(
    "petstore_store_call_duration_seconds",
    "Time that a store call took, including waiting, by call. Cached pages need none.",
    storeBuckets,
    registers,
  )
  /** A metric whose values are read at each scrape. */
  const readAtScrape = (
    Kind: typeof Counter | typeof Gauge,
    name: string,
    help: string,
    labelNames: Array<string>,
    read: () => Values | Promise<Values>,
    aggregator: Aggregator = "sum",
  ): void => {
    const metric = new Kind({
      name,
      help,
      labelNames,
      aggregator,
      registers,
      collect: async () => {
        const values = await read()
        metric.reset()
        for (const [labels, value] of values) metric.inc(labels, value)
      },
    })
  }
  /** A counter that costs one addition per call. */
  const countBy = (
    label: string,
    name: string,
    help: string,
    seriesMaximum = Number.POSITIVE_INFINITY,
  ): ((value: string) => void) => {
    const counts = new Map<string, number>()
    readAtScrape(Counter, name, help, [label], () => counts.entries().map(([value, count]) => [{ [label]: value }, count]))
    return (value) => {
      const count = counts.get(value)
      if (count !== undefined || counts.size < seriesMaximum) counts.set(value, (count ?? 0) + 1)
      else counts.set("other", (counts.get("other") ?? 0) + 1)
    }
  }
  const countByOperation = (name: string, help: string) => countBy("operation", name, help)
  readAtScrape(
    Counter,
    "petstore_http_requests_total",
    "Requests that have ended, by operation and status. The operation other stands for unknown paths.",
    ["operation", "status"],
    () => requestDurations.all.map(({ labels, count }) => [labels, count]),
  )
  const closed = countBy(
    "reason",
    "petstore_http_connections_closed_total",
    "Connections that closed before their last response, by reason: client_disconnected, slow_reader (READ_MS, or too many unread bytes while requests get 503 service_overloaded), connection_limit (CONNECTION_LIMIT), or shutdown (cut off at the deadline).",
  )
  const unanswered = new Counter({
    name: "petstore_http_requests_unanswered_total",
    help: "Requests that ran but whose response was not sent before their connection closed, by reason and kind: read or write.",
    labelNames: ["reason", "kind"],
    registers,
  })
  let inFlight = 0
  readAtScrape(Gauge, "petstore_http_requests_in_flight", "Requests without a response yet.", [], () => [[{}, inFlight]])
  const abandoned = countByOperation(
    "petstore_http_requests_abandoned_total",
    "Requests whose client disconnected before the response, by operation.",
  )
  const deprecated = countByOperation(
    "petstore_deprecated_calls_total",
    "Requests to deprecated operations that carried a valid key, by operation; petstore deprecations names the accounts.",
  )
  const rateLimited = countByOperation(
    "petstore_rate_limited_calls_total",
    "Requests that were refused because their key had used up its rate limit, by operation.",
  )
  const byAccount = countBy(
    "account",
    "petstore_account_requests_total",
    `Requests that have ended, by their key's account: none if no key was accepted, other for accounts after the first ${accountsNamed}. petstore accounts list shows their names.`,
    accountsNamed,
  )
  const deliveries = countBy(
    "outcome",
    "petstore_webhook_deliveries_total",
    "Tries to deliver a change to a webhook, by outcome: delivered or failed; and changes that were given up: given_up.",
  )
  let webhooks: ReadonlyArray<Webhook> = []
  readAtScrape(
    Gauge,
    "petstore_webhooks_disabled",
    "Webhooks that are disabled for another reason than the operator's, by reason: gone, failing or expired. Each worker reports all of them.",
    ["reason"],
    () =>
      (["gone", "failing", "expired"] as const).map((reason) => [
        { reason },
        webhooks.filter(({ disabled }) => disabled === reason).length,
      ]),
  )
  const storeErrors = countBy("call", "petstore_store_errors_total", "Store calls that failed because of the store, by call.")
  const groupCommits = new Histogram({
    name: "petstore_store_group_commit_writes",
    help: "Writes that shared one transaction (SQLite), or pets in one statement (PostgreSQL).",
    buckets: batchBuckets,
    registers,
  })

  const byOperation = new Map<string, Map<number, Series>>()
  const seriesOf = (operation: string, status: number): Series => {
    const byStatus = getOrInsert(byOperation, operation, () => new Map<number, Series>())
    return getOrInsert(byStatus, status, () => requestDurations.series({ operation, status: String(status) }))
  }
  const byCall = new Map<string, Series>()
  const callSeries = (call: string): Series => getOrInsert(byCall, call, () => storeDurations.series({ call }))

  let poolState: (() => PoolState) | undefined
  readAtScrape(
    Gauge,
    "petstore_store_pool",
    "The connection pool (PostgreSQL), by of: open connections, statements inFlight, and statements waiting for a connection.",
    ["of"],
    () => Object.entries(poolState?.() ?? {}).map(([of, count]) => [{ of }, count]),
  )

  let hasPlainText = false
  readAtScrape(
    Gauge,
    "petstore_store_plain_text",
    "Whether a connection to a PostgreSQL server on another machine was not encrypted: 1 or 0.",
    [],
    () => [[{}, hasPlainText ? 1 : 0]],
  )

  let nodeStates: (() => Promise<ReadonlyArray<NodeState>>) | undefined
  readAtScrape(
    Gauge,
    "petstore_store_node_up",
    "Whether a node with rows responds to the coordinator (Citus): 1 or 0, by node.",
    ["node"],
    async () => ((await nodeStates?.()) ?? []).map(({ node, isUp }) => [{ node }, isUp ? 1 : 0]),
  )

  let inventoryOfStore: (() => Promise<Inventory>) | undefined
  readAtScrape(
    Gauge,
    petsName,
    "Number of pets in the store, by status: none for pets without one. Absent while the database is unavailable, and on Citus, where every scrape would have to count the pets.",
    ["status"],
    async () => {
      const read = nodeStates === undefined ? inventoryOfStore : undefined
      const inventory = await read?.().catch(() => undefined)
      if (inventory === undefined) return []
      return [
        ...petStatuses.map((status) => [{ status }, inventory[status]] as const),
        [{ status: "none" }, inventory.withoutStatus],
      ]
    },
    // This value belongs to the store, not to a process. A worker without its store has no value.
    "max",
  )

  let backups: { readonly folder: string; readonly newest: () => number } | undefined
  readAtScrape(
    Gauge,
    backupName,
    "When the newest backup in BACKUP_FOLDER was made, in s since 1970, by folder; 0 without a backup. Absent without BACKUP_FOLDER.",
    // Without a label, the library would add a series with the value 0.
    ["folder"],
    () => (backups === undefined ? [] : [[{ folder: backups.folder }, backups.newest()]]),
    "max",
  )

  let expiringKeys: (() => Promise<Values>) | undefined
  readAtScrape(
    Gauge,
    keysName,
    "Accepted API keys that expire within 14 days and have no successor, by deployment.",
    ["deployment"],
    async () => (await expiringKeys?.().catch(() => undefined)) ?? [],
    "max",
  )

  let storeBytes: (() => Promise<Readonly<Record<string, number>> | undefined>) | undefined
  readAtScrape(
    Gauge,
    bytesName,
    "Bytes of the store's file, of its log (WAL), and free on its disk, by of (SQLite and sql.js).",
    ["of"],
    async () => {
      const bytes = await storeBytes?.().catch(() => undefined)
      return Object.entries(bytes ?? {}).map(([of, count]) => [{ of }, count])
    },
    "max",
  )

  const buildHelp = "1, labelled with the release that the process runs and its Node version."
  readAtScrape(Gauge, "petstore_build_info", buildHelp, ["version", "node"], () => [[{ version, node: process.version }, 1]])

  const requests: RequestObserver = {
    started: () => {
      inFlight += 1
    },
    ended: ({ operation, status, durationMillis, isAnswered, isDeprecated, apiKey }) => {
      inFlight -= 1
      if (isAnswered) requestDurations.observe(seriesOf(operation, status), durationMillis / 1000)
      else abandoned(operation)
      if (isDeprecated && apiKey !== undefined) deprecated(operation)
      if (status === 429) rateLimited(operation)
      byAccount(apiKey?.accountId ?? "none")
    },
  }
  const observeClosing: ObserveClosing = (reason, methods) => {
    closed(reason)
    for (const method of methods) unanswered.inc({ reason, kind: safeMethods.has(method) ? "read" : "write" })
  }
  const store: StoreObserver = (call) => {
    const startedAt = performance.now()
    return (exit) => {
      storeDurations.observe(callSeries(call), (performance.now() - startedAt) / 1000)
      if (isStoreError(exit)) storeErrors(call)
    }
  }

  if (cluster.worker !== undefined) {
    const worker = String(cluster.worker.id)
    const getMetricsAsJSON = async () =>
      (await register.getMetricsAsJSON()).map((metric) => {
        if (namesOfStore.has(metric.name)) return metric
        const values = metric.values.map((value) => ({ ...value, labels: { ...value.labels, worker } }))
        // By default, the library leaves out the start time and averages others, but each process has its own series.
        return { ...metric, aggregator: "sum" as const, values }
      })
    AggregatorRegistry.setRegistries([Object.assign(new Registry(), { getMetricsAsJSON })])
    // Responds to the primary's requests from now on.
    new AggregatorRegistry()
  }

  return {
    requests,
    observeClosing,
    store,
    delivery: deliveries,
    /** Tells of all webhooks of the store. */
    webhooks: (all: ReadonlyArray<Webhook>) => {
      webhooks = all
    },
    groupCommit: (writes: number) => groupCommits.observe(writes),
    /** Reads the state of the store's connection pool at each scrape. */
    pool: (state: () => PoolState) => {
      poolState = state
    },
    /** Reports that a connection to the store is not encrypted. */
    plainText: () => {
      hasPlainText = true
    },
    /** Checks the store's nodes at each scrape. */
    nodes: (states: () => Promise<ReadonlyArray<NodeState>>) => {
      nodeStates = states
    },
    /** Reads the number of pets at each scrape. Not for a store with several nodes, which would have to count every pet. */
    inventory: (read: () => Promise<Inventory>) => {
      inventoryOfStore = read
    },
    /** Reads at each scrape when the newest backup in the folder was made, in s since 1970. */
    backups: (folder: string, newest: () => number) => {
      backups = { folder, newest }
    },
    /** Counts at each scrape the API keys that soon expire. */
    expiringKeys: (deployment: string, count: () => Promise<number>) => {
      expiringKeys = async () => [[{ deployment }, await count()]]
    },
    /** Reads at each scrape how much room the store takes up. */
    storeBytes: (read: () => Promise<Readonly<Record<string, number>> | undefined>) => {
      storeBytes = read
    },
    /** The text that Prometheus reads. */
    text: () => textOf(register),
  }
}

const textOf = async (registry: Registry) => ({ contentType: registry.contentType, text: await registry.metrics() })

/**
 * The text for all workers, for the primary. Each worker has its own series with the label `worker`, because a sum would fall when
 * a worker is replaced, which Prometheus would take for a restart. The number of pets belongs to the store, and appears once.
 */
export const workersMetricsText = async () => {
  const { AggregatorRegistry } = await import("prom-client")
  const registry = new AggregatorRegistry()
  return { contentType: registry.contentType, text: await registry.clusterMetrics() }
}
