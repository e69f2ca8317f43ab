/** The settings of the service: the only reader of `process.env`. */
import { type Deployment, deployments } from "@petstore/core"
import { type DatabaseUrl, databaseUrlForms, decodeDatabaseUrl, type PostgresOptions, postgresDefaults } from "@petstore/storage"
import { Data, Either, Option } from "effect"

/** Levels of the log, from most to least talkative. */
const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const

/** How a setting is read: its default as an operator would write it, what is expected, and the value or nothing. */
interface Setting<A> {
  readonly default: string
  readonly expected: string
  readonly decode: (text: string) => A | undefined
  /** Whether its value may hold a password, which no message shows. */
  readonly secret?: true
}

const setting = <A>(definition: Setting<A>): Setting<A> => definition

const oneOf = <A extends string>(values: ReadonlyArray<A>, fallback: A): Setting<A> => ({
  default: fallback,
  expected: `one of ${values.join(", ")}`,
  decode: (text) => values.find((value) => value === text),
})

const integer = (minimum: number, maximum: number, fallback: number): Setting<number> => ({
  default: String(fallback),
  expected: `a whole number from ${minimum} to ${maximum}`,
  decode: (text) => {
    const value = Number(text)
    return /^[0-9]+$/.test(text) && value >= minimum && value <= maximum ? value : undefined
  },
})

/** An origin is scheme, host and port, as a browser sends it (RFC 6454 §6.2). */
const decodeOrigins = (text: string): ReadonlyArray<string> | undefined => {
  const origins = text
    .split(",")
    .map((origin) => origin.trim())
    .filter((origin) => origin !== "")
  return origins.every((origin) => URL.parse(origin)?.origin === origin) ? origins : undefined
}

const port = integer(0, 65_535, 3000)

const onOff = (fallback: "on" | "off"): Setting<boolean> => ({
  default: fallback,
  expected: "on or off",
  decode: (text) => (text === "on" ? true : text === "off" ? false : undefined),
})

/** An absolute address of the path `/v1`, or nothing: `Location` and `Link` begin with that path. It is shown to everybody, so it may hold no password. */
const baseUrl: Setting<Option.Option<string>> = {
  default: "",
  expected: "an http or https address that ends in /v1 and has no other path, such as https://api.example.com/v1",
  decode: (text) => {
    if (text === "") return Option.none()
    const url = URL.parse(text)
    const plain = url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === ""
    return plain && url.pathname === "/v1" && url.search === "" && url.hash === "" ? Option.some(url.href) : undefined
  },
  secret: true,
}

/** Every setting, by the name of its environment variable. `docs/operations.md` explains each. */
export const settings = {
  PORT: port,
  HOST: setting({ default: "127.0.0.1", expected: "an address to listen on", decode: (text) => text }),
  ADMIN_PORT: setting<number | "off">({
    default: "off",
    expected: `off, or ${port.expected}`,
    decode: (text) => (text === "off" ? text : port.decode(text)),
  }),
  ADMIN_HOST: setting({ default: "127.0.0.1", expected: "an address to listen on", decode: (text) => text }),
  PETSTORE_ENV: oneOf<Deployment>(deployments, "development"),
  PUBLIC_BASE_URL: baseUrl,
  STAGING_BASE_URL: baseUrl,
  DATABASE_URL: setting<DatabaseUrl>({
    default: "sqlite:./data/petstore.db",
    expected: databaseUrlForms,
    decode: (text) => Option.getOrUndefined(decodeDatabaseUrl(text)),
    secret: true,
  }),
  POSTGRES_POOL: integer(1, 1_000, postgresDefaults.poolSize),
  POSTGRES_STATEMENT_TIMEOUT_MS: integer(50, 60_000, postgresDefaults.statementTimeoutMillis),
  POSTGRES_APPLICATION_NAME: setting({
    default: postgresDefaults.applicationName,
    // PostgreSQL cuts longer names, and replaces other characters.
    expected: "1 to 63 printable ASCII characters",
    decode: (text) => (/^[ -~]{1,63}$/.test(text) ? text : undefined),
  }),
  BODY_LIMIT_BYTES: integer(1, 16_777_216, 65_536),
  RATE_LIMIT: integer(0, 1_000_000_000, 0),
  CORS_ORIGINS: setting<ReadonlyArray<string>>({
    default: "",
    expected: "origins such as https://shop.example, separated by commas",
    decode: decodeOrigins,
  }),
  KEEP_ALIVE_MS: integer(1, 3_600_000, 65_000),
  HEAD_MS: integer(100, 3_600_000, 10_000),
  REQUEST_MS: integer(100, 3_600_000, 30_000),
  CONNECTION_LIMIT: integer(1, 1_000_000, 10_000),
  PIPELINE_LIMIT: integer(1, 1_000, 32),
  UNREAD_LIMIT_BYTES: integer(0, 1_073_741_824, 1_048_576),
  READ_MS: integer(100, 3_600_000, 30_000),
  SHUTDOWN_MS: integer(1, 600_000, 10_000),
  LOG_LEVEL: oneOf(logLevels, "info"),
  WORKERS: integer(1, 256, 1),
  STORE_PAGE: onOff("on"),
  MIGRATE: onOff("on"),
  TLS_IN_FRONT: onOff("off"),
}

type Values = { readonly [Name in keyof typeof settings]: (typeof settings)[Name] extends Setting<infer A> ? A : never }

/** The settings, decoded. */
export interface Config {
  readonly port: number
  readonly host: string
  /** Where the metrics are served, if at all. */
  readonly adminPort: Option.Option<number>
  readonly adminHost: string
  readonly deployment: Deployment
  /** The base address of production, for the contract. */
  readonly publicBaseUrl: Option.Option<string>
  /** The base address of staging, for the contract. */
  readonly stagingBaseUrl: Option.Option<string>
  readonly database: DatabaseUrl
  readonly postgres: PostgresOptions
  readonly bodyLimitBytes: number
  /** Requests a minute for each API key, 0 for no limit. */
  readonly rateLimit: number
  readonly corsOrigins: ReadonlyArray<string>
  readonly keepAliveMillis: number
  /** How long the head of a request may take to arrive. */
  readonly headMillis: number
  /** How long a whole request may take to arrive. */
  readonly requestMillis: number
  /** Most connections of one process. */
  readonly connectionLimit: number
  /** Most requests of a connection that run at once. */
  readonly pipelineLimit: number
  /** So many bytes of answers may wait for the caller of a connection before no further request of it starts. */
  readonly unreadLimitBytes: number
  /** How long a caller may take to read an answer. */
  readonly readMillis: number
  readonly shutdownMillis: number
  readonly logLevel: (typeof logLevels)[number]
  /** Processes that share the port. */
  readonly workers: number
  /** Whether the page for the people of the store is served. */
  readonly storePage: boolean
  /** Whether opening a store brings its schema up to date. If not, an older schema is refused. */
  readonly migrate: boolean
  /** The operator's word that callers reach this service through TLS, which something in front of it ends. */
  readonly tlsInFront: boolean
}

/** Settings that are wrong: a sentence for each, with its value (secrets masked) and what was expected. */
export class InvalidConfig extends Data.TaggedError("InvalidConfig")<{ readonly problems: ReadonlyArray<string> }> {}

/** What may be a password in a URL, well-formed or not, is not for the terminal. */
const mask = (text: string): string => text.replace(/\/\/.*@/s, "//***@").replace(/(password=)[^&]*/gi, "$1***")

/** Reads the settings from an environment. An empty variable counts as absent. Fails with every problem at once. */
export const decodeConfig = (environment: Readonly<Record<string, string | undefined>>): Either.Either<Config, InvalidConfig> => {
  const problems: Array<string> = []
  const values: Record<string, unknown> = {}
  for (const [name, { default: fallback, expected, decode, secret }] of Object.entries<Setting<unknown>>(settings)) {
    const text = environment[name] || fallback
    const value = decode(text)
    if (value === undefined) problems.push(`${name}: expected ${expected}, got "${secret === true ? mask(text) : text}"`)
    values[name] = value
  }
  if (problems.length > 0) return Either.left(new InvalidConfig({ problems }))
  // Safe: every setting was decoded by its own row, and none is missing.
  const decoded = values as unknown as Values
  return Either.right({
    port: decoded.PORT,
    host: decoded.HOST,
    adminPort: decoded.ADMIN_PORT === "off" ? Option.none() : Option.some(decoded.ADMIN_PORT),
    adminHost: decoded.ADMIN_HOST,
    deployment: decoded.PETSTORE_ENV,
    publicBaseUrl: decoded.PUBLIC_BASE_URL,
    stagingBaseUrl: decoded.STAGING_BASE_URL,
    database: decoded.DATABASE_URL,
    postgres: {
      poolSize: decoded.POSTGRES_POOL,
      statementTimeoutMillis: decoded.POSTGRES_STATEMENT_TIMEOUT_MS,
      applicationName: decoded.POSTGRES_APPLICATION_NAME,
    },
    bodyLimitBytes: decoded.BODY_LIMIT_BYTES,
    rateLimit: decoded.RATE_LIMIT,
    corsOrigins: decoded.CORS_ORIGINS,
    keepAliveMillis: decoded.KEEP_ALIVE_MS,
    connectionLimit: decoded.CONNECTION_LIMIT,
    pipelineLimit: decoded.PIPELINE_LIMIT,
    unreadLimitBytes: decoded.UNREAD_LIMIT_BYTES,
    headMillis: decoded.HEAD_MS,
    requestMillis: decoded.REQUEST_MS,
    readMillis: decoded.READ_MS,
    shutdownMillis: decoded.SHUTDOWN_MS,
    logLevel: decoded.LOG_LEVEL,
    workers: decoded.WORKERS,
    storePage: decoded.STORE_PAGE,
    migrate: decoded.MIGRATE,
    tlsInFront: decoded.TLS_IN_FRONT,
  })
}

/** The settings of this process. */
export const readConfig = (): Either.Either<Config, InvalidConfig> =>
  // biome-ignore lint/style/noProcessEnv: the one place that reads it
  decodeConfig(process.env)
