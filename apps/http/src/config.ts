/** The service's settings. Only this module reads `process.env`. */
import { readFileSync } from "node:fs"
import { userInfo } from "node:os"
import { type Deployment, deployments } from "@petstore/core"
import { type DatabaseUrl, databaseUrlForms, decodeDatabaseUrl, postgresDefaults } from "@petstore/storage"
import { Data, Either, Option } from "effect"
import { decodeNetworks, type Network } from "./networks.js"

interface Setting<A> {
  readonly variable: string
  readonly default: string
  readonly expected: string
  /** For operators, in docs/reference/settings.md. */
  readonly meaning: string
  readonly decode: (text: string) => A | undefined
  /** What is wrong with a value, if that is more precise than `expected`. */
  readonly explain?: (text: string) => string | undefined
  /** Whether the value may contain a password, which no message shows. */
  readonly secret?: true
}

const oneOf = <A extends string>(variable: string, values: ReadonlyArray<A>, fallback: A, meaning: string): Setting<A> => ({
  variable,
  meaning,
  default: fallback,
  expected: `one of ${values.join(", ")}`,
  decode: (text) => values.find((value) => value === text),
})

const integer = (variable: string, minimum: number, maximum: number, fallback: number, meaning: string): Setting<number> => ({
  variable,
  meaning,
  default: String(fallback),
  expected: `a whole number from ${minimum} to ${maximum}`,
  decode: (text) => {
    const value = Number(text)
    return /^[0-9]+$/.test(text) && value >= minimum && value <= maximum ? value : undefined
  },
})

const onOff = (variable: string, fallback: "on" | "off", meaning: string): Setting<boolean> => ({
  variable,
  meaning,
  default: fallback,
  expected: "on or off",
  decode: (text) => (text === "on" ? true : text === "off" ? false : undefined),
})

const address = { default: "127.0.0.1", expected: "an address to listen on", decode: (text: string) => text }

const port = integer("PORT", 0, 65_535, 3000, "the port of the API; 0 selects a free port")

const adminPort: Setting<Option.Option<number>> = {
  variable: "ADMIN_PORT",
  default: "off",
  meaning: "where `GET /metrics`, `/healthz` and `/readyz` are served without a key: keep clients away from this port",
  expected: `off, or ${port.expected}`,
  decode: (text) => {
    const value = port.decode(text)
    return text === "off" ? Option.none() : value === undefined ? undefined : Option.some(value)
  },
}

/** A proxy may serve the API under a path of its own. The URL is public, so it must not contain a password. */
const baseUrl = (variable: string, deployment: Deployment): Setting<Option.Option<string>> => ({
  variable,
  default: "",
  meaning: `the base address of ${deployment}, for the contract and the docs page. A proxy may remove the path before \`/v1\`, or pass it on. Without this variable, they contain the deployment's own address`,
  expected: "an http or https address that ends in /v1, such as https://api.example.com/v1 or https://shop.example/api/v1",
  decode: (text) => {
    if (text === "") return Option.none()
    const url = URL.parse(text)
    const plain = url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === ""
    return plain && /^(?:\/[\w.~-]+)*\/v1$/.test(url.pathname) && url.search === "" && url.hash === ""
      ? Option.some(url.href)
      : undefined
  },
  secret: true,
})

const database: Setting<DatabaseUrl> = {
  variable: "DATABASE_URL",
  default: "sqlite:./data/petstore.db",
  meaning:
    "the store. Relative paths start from the working directory. `production` and `staging` require this setting. `DATABASE_URL_FILE` names a file that contains the URL instead",
  expected: databaseUrlForms,
  decode: (text) => Either.getOrElse(decodeDatabaseUrl(text), () => undefined),
  explain: (text) =>
    Either.match(decodeDatabaseUrl(text), {
      onLeft: ({ reason }) => reason.replace(/^Not a database URL: /, "").replace(/\.$/, ""),
      onRight: () => undefined,
    }),
  secret: true,
}

const backupFolder: Setting<Option.Option<string>> = {
  variable: "BACKUP_FOLDER",
  default: "",
  meaning: "where `petstore doctor` and the metric of the newest backup look: the folder of `petstore backup --into`",
  expected: "a folder",
  decode: (text) => Option.liftPredicate(text, (folder) => folder !== ""),
}

const postgresApplicationName: Setting<string> = {
  variable: "POSTGRES_APPLICATION_NAME",
  default: postgresDefaults.applicationName,
  meaning: "the service's name in PostgreSQL's `pg_stat_activity` and log",
  // PostgreSQL truncates longer names and replaces other characters.
  expected: "1 to 63 printable ASCII characters",
  decode: (text) => (/^[ -~]{1,63}$/.test(text) ? text : undefined),
}

const listIn = (text: string): ReadonlyArray<string> =>
  Array.from(text.split(","), (item) => item.trim()).filter((item) => item !== "")

const corsOrigins: Setting<ReadonlyArray<string>> = {
  variable: "CORS_ORIGINS",
  default: "",
  meaning: "the origins from which browsers may send requests",
  expected: "origins such as https://shop.example, separated by commas",
  decode: (text) => {
    const origins = listIn(text)
    // An origin consists of a scheme, a host and a port, as browsers send it (RFC 6454 §6.2).
    return origins.every((origin) => URL.parse(origin)?.origin === origin) ? origins : undefined
  },
}

const networks = (variable: string, meaning: string): Setting<ReadonlyArray<Network>> => ({
  variable,
  meaning,
  default: "",
  expected: "networks such as 10.1.0.0/16, separated by commas",
  decode: (text) => decodeNetworks(listIn(text)),
})

/** Every setting. docs/reference/settings.md is made from these rows. */
export const settings = {
  port,
  host: { variable: "HOST", meaning: "the address of the API", ...address },
  /** The metrics port. Absent if metrics are off. */
  adminPort,
  adminHost: { variable: "ADMIN_HOST", meaning: "the address of `ADMIN_PORT`", ...address },
  deployment: oneOf<Deployment>(
    "PETSTORE_ENV",
    deployments,
    "development",
    "the deployment: each refuses the others' keys and stores",
  ),
  publicBaseUrl: baseUrl("PUBLIC_BASE_URL", "production"),
  stagingBaseUrl: baseUrl("STAGING_BASE_URL", "staging"),
  database,
  backupFolder,
  postgresPool: integer(
    "POSTGRES_POOL",
    1,
    1_000,
    postgresDefaults.poolSize,
    "the maximum number of connections from each process to PostgreSQL, whose `max_connections` must allow `WORKERS` times as many",
  ),
  postgresStatementTimeoutMillis: integer(
    "POSTGRES_STATEMENT_TIMEOUT_MS",
    50,
    60_000,
    postgresDefaults.statementTimeoutMillis,
    "the time limit for a statement; after that the client gets 503",
  ),
  postgresApplicationName,
  bodyLimitBytes: integer("BODY_LIMIT_BYTES", 1, 16_777_216, 65_536, "the largest request body"),
  rateLimit: integer(
    "RATE_LIMIT",
    0,
    1_000_000_000,
    0,
    "requests per minute for each key; 0 means no limit. Workers share the count; separate services do not",
  ),
  waitingLimit: integer(
    "WAITING_LIMIT",
    0,
    1_000_000,
    2_000,
    "how many requests may wait for changes in each process; 10 of one key. Further ones get 429. Each is a connection, so `CONNECTION_LIMIT` must be higher",
  ),
  historyDays: integer(
    "HISTORY_DAYS",
    0,
    36_500,
    366,
    "how many days the history of animals, orders and categories is kept; 0 keeps all of it",
  ),
  corsOrigins,
  webhookNetworks: networks("WEBHOOK_NETWORKS", "networks that are not public, and that webhooks may reach all the same"),
  proxyNetworks: networks(
    "PROXY_PROTOCOL_FROM",
    "networks of the proxies that begin each connection with the PROXY protocol, such as `127.0.0.2/32`: then log lines have the client's address. Their connections without it are closed",
  ),
  keepAliveMillis: integer(
    "KEEP_ALIVE_MS",
    1,
    3_600_000,
    65_000,
    "how long an idle connection stays open; set it higher than the proxy's timeout, so that the proxy closes first",
  ),
  headMillis: integer("HEAD_MS", 100, 3_600_000, 10_000, "how long a request head may take to arrive"),
  requestMillis: integer("REQUEST_MS", 100, 3_600_000, 30_000, "how long a whole request may take to arrive"),
  connectionLimit: integer(
    "CONNECTION_LIMIT",
    1,
    1_000_000,
    10_000,
    "the maximum number of connections to each process. 16 more may request `/healthz` or `/readyz`; further connections are closed at once. `ulimit -n` must be higher than this limit",
  ),
  pipelineLimit: integer(
    "PIPELINE_LIMIT",
    1,
    1_000,
    16,
    "the maximum number of safe requests that run at once on a connection; an unsafe request runs alone. Until one finishes, the service reads at most 64 KiB of further requests",
  ),
  unreadLimitBytes: integer(
    "UNREAD_LIMIT_BYTES",
    0,
    1_073_741_824,
    131_072,
    "no further request on a connection starts while its client has left more response bytes than this unread; an unfinished response is assumed to be as long as the previous ones",
  ),
  connectionBudgetBytes: integer(
    "CONNECTION_BUDGET_BYTES",
    0,
    1_073_741_824,
    2_097_152,
    "no further request on a connection starts while its requests and responses hold more memory than this",
  ),
  processBudgetBytes: integer(
    "PROCESS_BUDGET_BYTES",
    1_048_576,
    1_099_511_627_776,
    67_108_864,
    "the memory that a process's requests and responses may hold. A request that would exceed it gets 503 `service_overloaded`; for requests without a key, the limit is half. Incomplete heads and unparsed bytes may take up a quarter. While requests are refused, the connections with the most unread bytes are closed",
  ),
  readMillis: integer(
    "READ_MS",
    100,
    3_600_000,
    30_000,
    "how long a client may take to read a response, plus the same time for every unread 480 KiB; then the service closes the connection",
  ),
  shutdownMillis: integer(
    "SHUTDOWN_MS",
    1,
    600_000,
    10_000,
    "how long the service may take to stop. Requests that are still running 1.5 s before the deadline (or halfway to it, if that is later) are cut off. A service that starts on a SQLite or `sqljs` file waits this long for the file's former service to stop, and is then refused",
  ),
  logLevel: oneOf(
    "LOG_LEVEL",
    ["trace", "debug", "info", "warn", "error", "fatal", "silent"],
    "info",
    "the lowest level of log lines; above `info`, requests have no lines",
  ),
  workers: integer("WORKERS", 1, 256, 1, "the number of processes that share the port; above 1 only with PostgreSQL"),
  storePage: onOff("STORE_PAGE", "on", "whether the page for store staff is served at `/store`"),
  migrate: onOff(
    "MIGRATE",
    "on",
    "whether a start updates an older schema; with `off`, the service refuses the store until `petstore migrate` updates it",
  ),
  tlsInFront: onOff(
    "TLS_IN_FRONT",
    "off",
    "your statement that a proxy in front terminates TLS; if `on`, pages have the header `Strict-Transport-Security`",
  ),
}

export type Config = {
  readonly [Name in keyof typeof settings]: (typeof settings)[Name] extends Setting<infer A> ? A : never
} & {
  /** The deployment, if it was set explicitly. */
  readonly namedDeployment: Option.Option<Deployment>
}

/** Invalid settings, with a sentence for each: its value (secrets masked) and what was expected. */
export class InvalidConfig extends Data.TaggedError("InvalidConfig")<{ readonly problems: ReadonlyArray<string> }> {}

/** Masks everything that may be a password in a URL, even in a malformed one. */
const mask = (text: string): string =>
  text.replace(/^([a-z][a-z0-9+.-]*:)?(\/*).*@/is, "$1$2***@").replace(/(password=)[^&]*/gi, "$1***")

type Environment = Readonly<Record<string, string | undefined>>

/** An empty variable counts as absent. Fails with all problems at once. */
export const decodeConfig = (environment: Environment): Either.Either<Config, InvalidConfig> => {
  const problems: Array<string> = []
  const values: Record<string, unknown> = {}
  for (const [name, { variable, default: fallback, expected, decode, explain, secret }] of Object.entries<Setting<unknown>>(
    settings,
  )) {
    const text = environment[variable] || fallback
    // A blank or a carriage return at the end of a line in a file of settings would become part of a path or a host.
    const value = text === text.trim() ? decode(text) : undefined
    if (value === undefined) {
      const says = explain?.(text) ?? `expected ${expected}`
      problems.push(`${variable}: ${says}, got "${secret === true ? mask(text) : text}"`)
    }
    values[name] = value
  }
  const { deployment, database: store } = settings
  if (values["deployment"] !== undefined && values["deployment"] !== deployment.default && !environment[store.variable]) {
    problems.push(
      `${store.variable}: expected ${store.expected}, because ${deployment.variable} is not ${deployment.default}, got ""`,
    )
  }
  values["namedDeployment"] = environment[settings.deployment.variable] ? Option.some(values["deployment"]) : Option.none()
  // Safe: every setting was decoded by its own row.
  return problems.length > 0 ? Either.left(new InvalidConfig({ problems })) : Either.right(values as unknown as Config)
}

/** Whether this process belongs to development, even if other settings are invalid. */
export const isDevelopment = (): boolean =>
  // biome-ignore lint/style/noProcessEnv: as below
  (process.env[settings.deployment.variable] || settings.deployment.default) === settings.deployment.default

/** Takes the database URL from the file that `DATABASE_URL_FILE` names, so that a password need not be in the environment. */
const withUrlOfFile = (environment: Environment): Either.Either<Environment, InvalidConfig> => {
  const { DATABASE_URL, DATABASE_URL_FILE: path } = environment
  if (!path) return Either.right(environment)
  const refused = (says: string) => Either.left(new InvalidConfig({ problems: [`DATABASE_URL_FILE: ${says}, got "${path}"`] }))
  if (DATABASE_URL) return refused("expected no value, because DATABASE_URL is set")
  try {
    const url = readFileSync(path, "utf8").replace(/\r?\n$/, "")
    return url === "" ? refused("the file is empty") : Either.right({ ...environment, DATABASE_URL: url })
  } catch (thrown) {
    return refused(`the file cannot be read (${thrown instanceof Error ? thrown.message : thrown})`)
  }
}

export const readConfig = (): Either.Either<Config, InvalidConfig> =>
  // biome-ignore lint/style/noProcessEnv: the one place that reads it
  Either.flatMap(withUrlOfFile(process.env), decodeConfig)

/** Who runs a command: the user before sudo, if that is known. */
export const operatorName = (): string =>
  // biome-ignore lint/style/noProcessEnv: as above
  process.env["SUDO_USER"] || userInfo().username

/** The service that commands call as its clients do, and the API key for it, which may be absent. */
export const readServiceAddress = (): { readonly url: string; readonly apiKey: string | undefined } => {
  // biome-ignore lint/style/noProcessEnv: as above
  const { PETSTORE_URL, PETSTORE_API_KEY } = process.env
  return { url: PETSTORE_URL || "http://127.0.0.1:3000", apiKey: PETSTORE_API_KEY || undefined }
}
