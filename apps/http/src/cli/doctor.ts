/** `petstore doctor`: checks the settings, files, store, keys, clock and ports, even of a running service, and suggests fixes. */
import { CredentialRepository, type Deployment, type Inventory, InventoryRepository, WebhookRepository } from "@petstore/core"
import { findStoreDeployment } from "@petstore/core/internal"
import { AppDatabase, type DatabaseUrl, isEphemeral, nameOfStore, type StorageNotOpened } from "@petstore/storage"
import type { NodeState } from "@petstore/storage/internal"
import { DateTime, Effect, Option } from "effect"
import type { Config } from "../config.js"
import { version } from "../package-files.js"
import { backupFindings, damageOf } from "./doctor/backups.js"
import { fileFindings } from "./doctor/files.js"
import { type Finding, ok, problem, warning } from "./doctor/finding.js"
import { clockFinding, keyFindings } from "./doctor/keys.js"
import { portFindings } from "./doctor/ports.js"
import { settingsFindings } from "./doctor/settings.js"
import { webhookFindings } from "./doctor/webhooks.js"
import { columns, counted, type OutputOptions, print } from "./output.js"
import { isDefaultStore } from "./pasted.js"
import { CommandFailed, provideServices, textOf, withCommand, withConfig } from "./program.js"
import { type OpenStore, sayStore } from "./store.js"

const deploymentFinding = (kept: Option.Option<Deployment>, { deployment, namedDeployment }: Config): Finding => {
  const about = "deployment"
  if (Option.isNone(kept))
    return ok(
      about,
      "The store does not belong to a deployment yet: the first process with an explicit PETSTORE_ENV will assign it to one.",
    )
  if (kept.value === deployment) return ok(about, `The store belongs to ${deployment}.`)
  const remedy = `Set PETSTORE_ENV=${kept.value}, or name another store in DATABASE_URL.`
  if (Option.isSome(namedDeployment)) {
    return problem(about, `The store belongs to ${kept.value}, but PETSTORE_ENV is ${deployment}.`, remedy)
  }
  const says = `The store belongs to ${kept.value}, but PETSTORE_ENV is not set here: a service with these settings will not start.`
  return warning(about, says, remedy)
}

const nodeRemedy =
  "Start PostgreSQL there. On the coordinator, SELECT * FROM citus_check_cluster_node_health() shows which connections work."

const nodeFinding = ({ node, isUp }: NodeState): Finding =>
  isUp
    ? ok("node", `${node} responds to the coordinator.`)
    : problem("node", `${node} does not respond to the coordinator: its rows cannot be read.`, nodeRemedy)

const readOnlyRemedy =
  "Promote the standby, or point DATABASE_URL to the primary. Otherwise: ALTER DATABASE … SET default_transaction_read_only = off."

/** Whether the store is whole and accepts writes, as far as this can be determined without writing. */
const storeFinding = Effect.fnUntraced(function* (database: DatabaseUrl) {
  const { dialect, read } = yield* AppDatabase
  if (dialect === "sqlite") {
    const [[damage] = []] = yield* read("PRAGMA quick_check(1)", [])
    if (damage !== "ok") return problem("store", `It is damaged: ${String(damage).replace(/\s+/g, " ")}.`, damagedRemedy)
    const [isBackup] = "path" in database ? yield* read(isUnusedBackup, []) : []
    const difference = isBackup && "path" in database ? yield* damageOf(database, database.path) : undefined
    if (difference !== undefined) return problem("store", difference, damagedRemedy)
    return ok("store", "It can be read, and its pages are whole.")
  }
  const [row] = yield* read("SHOW transaction_read_only", [])
  return row?.[0] === "on"
    ? problem("store", "It can be read, but the server does not accept writes.", readOnlyRemedy)
    : ok("store", "It can be read.")
})

/** Whether the store is a backup that no service has used yet. Later, it contains other rows than were backed up. */
const isUnusedBackup =
  "SELECT 1 FROM sqlite_schema WHERE name = 'petstore_backup' AND (SELECT application_id FROM pragma_application_id) = 0"

const damagedRemedy = "Stop the service, and restore a backup: petstore restore --replace FILE."

/** Checks the content of a store that can be opened. */
const contentFindings = (config: Config) =>
  Effect.gen(function* () {
    const { listApiKeys, listAccounts } = yield* CredentialRepository
    const kept = yield* findStoreDeployment
    const keys = yield* listApiKeys
    const accounts = yield* listAccounts
    const now = yield* DateTime.nowAsDate
    const deployment = Option.getOrElse(kept, () => config.deployment)
    return [
      yield* storeFinding(config.database),
      ok("schema", "It matches this release."),
      deploymentFinding(kept, config),
      ...keyFindings(keys, accounts, deployment, now),
      clockFinding(keys, accounts, now),
      ...webhookFindings(yield* (yield* WebhookRepository).list),
    ]
  })

/** A service creates its store on its first start, so in development a missing default store is not a problem. */
const missingStoreFinding = (config: Config): Finding => {
  const says = `There is no store at ${nameOfStore(config.database)}; the first start will create it.`
  return config.deployment === "development" && isDefaultStore(config)
    ? ok("store", says)
    : problem("store", says, "If there should be one, go to its folder or name it in DATABASE_URL.")
}

const notOpenedFinding = (config: Config, failure: StorageNotOpened): Finding => {
  if (failure.isMissing === true) return missingStoreFinding(config)
  if (failure.schemaIsOlder !== true) return problem("store", withCommand(failure))
  if (!config.migrate) return problem("schema", withCommand(failure))
  const remedy = "The next start or command will bring it up to date: take a backup first."
  return warning("schema", "It is older than this release.", remedy)
}

/** Inspects a store without creating or changing anything. */
const storeFindings = (config: Config): Effect.Effect<ReadonlyArray<Finding>> =>
  Effect.gen(function* () {
    const { database, deployment } = config
    if (isEphemeral(database)) return []
    const durability: Array<Finding> = []
    let nodes = (): Promise<ReadonlyArray<NodeState>> => Promise.resolve([])
    const look = Effect.gen(function* () {
      const findings = yield* contentFindings(config)
      return [...findings, ...(yield* Effect.promise(nodes)).map(nodeFinding)]
    })
    const findings = yield* provideServices(config, look, {
      readOnly: true,
      onVolatile: (says) =>
        Effect.sync(() => {
          durability.push({ state: deployment === "production" ? "problem" : "warning", about: "durability", says })
        }),
      onPlainText: (says) => void durability.push({ state: "warning", about: "tls", says }),
      onNodes: (states) => {
        nodes = states
      },
    }).pipe(
      Effect.catchTags({
        StorageNotOpened: (failure) => Effect.succeed([notOpenedFinding(config, failure)]),
        StorageUnavailable: (failure) => Effect.succeed([problem("store", textOf(failure))]),
      }),
    )
    if (database.adapter === "postgres" && durability.length === 0 && findings.some(({ about }) => about === "schema")) {
      durability.push(ok("durability", "According to its settings, the server keeps acknowledged writes."))
    }
    return [...findings, ...durability]
  })

const examine = (options: OutputOptions) =>
  withConfig(function* (config) {
    yield* sayStore(config.database)
    const { node, sqlite = "only in sql.js" } = process.versions
    const findings = [
      ok("versions", `petstore ${version}, Node.js ${node}, SQLite ${sqlite}.`),
      ...settingsFindings(config),
      ...fileFindings(config.database),
      ...(yield* storeFindings(config)),
      ...(yield* backupFindings(config)),
      ...(yield* portFindings(config)),
    ]
    const rows = findings.map(({ state, about, says, remedy = "" }) => [state, about, `${says} ${remedy}`])
    const values = findings.map(({ remedy, says: finding, ...rest }) => ({ ...rest, finding, remedy: remedy ?? null }))
    print(options, values, columns(["STATE", "ABOUT", "FINDING"], rows))
    const count = (state: Finding["state"]) => findings.filter((finding) => finding.state === state).length
    if (count("problem") === 0) return
    const reason = `${counted(count("problem"), "problem")}, ${counted(count("warning"), "warning")}.`
    return yield* new CommandFailed({ reason })
  })

const shown = ({ available, pending, sold, withoutStatus, total }: Inventory): string =>
  `${available} available, ${pending} pending, ${sold} sold, ${withoutStatus} without a status, ${total} in total`

const recount = (open: OpenStore, options: OutputOptions) =>
  open(function* () {
    const { kept, counted: there } = yield* (yield* InventoryRepository).recount
    const differed = shown(kept) !== shown(there)
    const outcome = differed ? "The inventory was wrong. It has been set to the counted numbers." : "The inventory was right."
    print(options, { kept, counted: there, differed }, `Stored:  ${shown(kept)}.\nCounted: ${shown(there)}.\n${outcome}`)
  })

export const doctor = (open: OpenStore, { recount: mayCount, ...options }: OutputOptions & { readonly recount?: true }) =>
  mayCount === true ? recount(open, options) : examine(options)
