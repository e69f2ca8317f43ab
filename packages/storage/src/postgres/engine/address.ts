/** The parameters of a `postgres://` URL: which ones exist, and how they protect the connection. */

const tlsModes = ["disable", "prefer", "require", "verify-ca", "verify-full"] as const

type TlsMode = (typeof tlsModes)[number]

/** How a connection is protected, in the words of libpq. Files are paths. */
export interface TlsAddress {
  readonly mode: TlsMode
  readonly rootCertificates: string | undefined
  readonly certificate: string | undefined
  readonly key: string | undefined
}

/** The parameters that concern TLS. The others are for the `pg` library. */
const ofTls: ReadonlySet<string> = new Set(["sslmode", "sslrootcert", "sslcert", "sslkey"])

const others: ReadonlySet<string> = new Set(["host", "port", "user", "password", "options", "application_name"])

const known = [...ofTls, ...others].join(", ")

const partsOf = (url: string): readonly [address: string, parameters: URLSearchParams] => {
  const [address = "", ...query] = url.split("?")
  return [address, new URLSearchParams(query.join("?"))]
}

const isTlsMode = (text: string): text is TlsMode => tlsModes.some((mode) => mode === text)

/** What is wrong with a URL's parameters. A misspelt parameter could otherwise send a password in clear text. */
export const problemOfParameters = (url: string): string | undefined => {
  const [, parameters] = partsOf(url)
  for (const [name, value] of parameters) {
    if (!ofTls.has(name) && !others.has(name)) return `the parameter ${name} is unknown; the known ones are ${known}`
    if (value === "") return `the parameter ${name} is empty`
    if (parameters.getAll(name).length > 1) return `the parameter ${name} occurs more than once`
  }
  const mode = parameters.get("sslmode")
  const roots = parameters.get("sslrootcert")
  if (mode !== null && !isTlsMode(mode)) return `sslmode must be one of ${tlsModes.join(", ")}`
  if (mode === "verify-ca" && (roots === null || roots === "system")) {
    return "sslmode=verify-ca needs sslrootcert=FILE: with the system's certificates, any server with a public certificate would pass; use sslmode=verify-full"
  }
  if (roots === "system" && mode !== null && mode !== "verify-full") return "sslrootcert=system needs sslmode=verify-full"
  if (roots !== null && roots !== "system" && (mode === null || mode === "prefer" || mode === "disable")) {
    return "sslrootcert has an effect only with sslmode=verify-full, verify-ca or require"
  }
  return parameters.has("sslcert") === parameters.has("sslkey") ? undefined : "sslcert and sslkey need each other"
}

/** Whether a valid URL asks for a connection without TLS. */
export const asksForPlainText = (url: string): boolean => splitAddress(url).tls.mode === "disable"

/** Splits a valid URL into the part for the `pg` library and the part about TLS. */
export const splitAddress = (url: string): { readonly plainUrl: string; readonly tls: TlsAddress } => {
  const [address, parameters] = partsOf(url)
  const rootCertificates = parameters.get("sslrootcert") ?? undefined
  const given = parameters.get("sslmode")
  const fallback = rootCertificates === undefined ? "prefer" : "verify-full"
  const tls: TlsAddress = {
    mode: given !== null && isTlsMode(given) ? given : fallback,
    rootCertificates,
    certificate: parameters.get("sslcert") ?? undefined,
    key: parameters.get("sslkey") ?? undefined,
  }
  // Keeps the text of the other parameters, which `URLSearchParams` would encode differently.
  const query = (url.split("?").slice(1).join("?") || "").split("&").filter((pair) => !ofTls.has(pair.split("=", 1)[0] ?? ""))
  const rest = query.join("&")
  return { plainUrl: rest === "" ? address : `${address}?${rest}`, tls }
}
