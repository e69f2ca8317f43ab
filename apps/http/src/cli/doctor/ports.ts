/** Checks whether the service's ports are free, or whether the service already listens on them. */
import { Effect, Option } from "effect"
import type { Config } from "../../config.js"
import { checkAddress, hostInUrl } from "../../http/listen.js"
import { type Finding, ok, problem } from "./finding.js"

/** How long a program on a port may take to respond, in ms. */
const answerMillis = 3_000

interface Listener {
  readonly about: string
  readonly host: string
  readonly port: number
  /** The settings that name the host and the port. */
  readonly settings: string
  readonly path: string
  /** The finding for a petstore's response, or `undefined` if another program responded. */
  readonly findingOf: (status: number, body: string, where: string) => Finding | undefined
}

const memberOf = (body: string, name: string): unknown => {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === "object" && value !== null ? Object.entries(value).find(([key]) => key === name)?.[1] : undefined
  } catch {
    return undefined
  }
}

const readiness: Listener["findingOf"] = (status, body, where) => {
  if (status === 200 && memberOf(body, "status") === "ready") return ok("port", `A petstore is ready at ${where}.`)
  if (status !== 503 || typeof memberOf(body, "code") !== "string") return undefined
  return problem("port", `A petstore is running at ${where}, but is not ready: ${memberOf(body, "message")}`)
}

const metrics: Listener["findingOf"] = (status, body, where) =>
  status === 200 && body.includes("petstore_build_info")
    ? ok("admin port", `A petstore serves its metrics at ${where}.`)
    : undefined

const answerAt = async (url: string): Promise<{ readonly status: number; readonly body: string } | undefined> => {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(answerMillis), redirect: "manual" })
    return { status: response.status, body: await response.text() }
  } catch {
    // Either nothing listens, or the listener did not respond over HTTP in time. The attempt to listen shows which.
    return undefined
  }
}

const findingAt = ({ about, host, port, settings, path, findingOf }: Listener): Effect.Effect<Finding> =>
  Effect.gen(function* () {
    if (port === 0) return ok(about, "The service will choose a free one.")
    const where = `${hostInUrl(host)}:${port}`
    const response = yield* Effect.promise(() => answerAt(`http://${where}${path}`))
    const known = response && findingOf(response.status, response.body, where)
    if (known !== undefined) return known
    return yield* checkAddress(host, port, settings).pipe(
      Effect.as(ok(about, `${host}:${port} is free.`)),
      Effect.catchAll(({ reason }) => Effect.succeed(problem(about, reason))),
    )
  })

/** Findings about the service's ports. The doctor listens briefly on each port that is free. */
export const portFindings = ({ host, port, adminHost, adminPort }: Config): Effect.Effect<ReadonlyArray<Finding>> =>
  Effect.forEach(
    [
      { about: "port", host, port, settings: "PORT or HOST", path: "/readyz", findingOf: readiness },
      ...Option.toArray(adminPort).map((other) => ({
        ...{ about: "admin port", host: adminHost, port: other, settings: "ADMIN_PORT or ADMIN_HOST" },
        ...{ path: "/metrics", findingOf: metrics },
      })),
    ],
    findingAt,
  )
