/** Checks whether the service's ports are free, or whether the service is already listening on them. */
import { Schema } from "@effect/schema"
import { Effect, Option } from "effect"
import type { Config } from "../../config.js"
import { checkAddress, hostInUrl } from "../../http/listen.js"
import { type Finding, ok, problem } from "./finding.js"

/** How long a program on a port may take to respond, in ms. */
const answerMillis = 3_000

/** Returns the finding for a petstore's response, or `undefined` if another program responded. */
type FindingOf = (status: number, body: string, where: string) => Finding | undefined

const decodeReady = Schema.decodeUnknownOption(Schema.parseJson(Schema.Struct({ status: Schema.Literal("ready") })))
const decodeFailure = Schema.decodeUnknownOption(Schema.parseJson(Schema.Struct({ code: Schema.String, message: Schema.String })))

const readiness: FindingOf = (status, body, where) => {
  if (status === 200 && Option.isSome(decodeReady(body))) return ok("port", `A petstore is ready at ${where}.`)
  const failure = status === 503 ? Option.getOrUndefined(decodeFailure(body)) : undefined
  return failure && problem("port", `A petstore is running at ${where}, but is not ready: ${failure.message}`)
}

const metrics: FindingOf = (status, body, where) =>
  status === 200 && body.includes("petstore_build_info")
    ? ok("admin port", `A petstore serves its metrics at ${where}.`)
    : undefined

const answerAt = async (url: string): Promise<{ readonly status: number; readonly body: string } | undefined> => {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(answerMillis), redirect: "manual" })
    return { status: response.status, body: await response.text() }
  } catch {
    // Either nothing is listening, or the listener did not respond over HTTP in time. The attempt to listen shows which.
    return undefined
  }
}

const findingAt = ({ about, host, port, settings, path, findingOf }: ReturnType<typeof listenersOf>[number]) =>
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

/** What listens, where, and which `settings` say so. */
export const listenersOf = ({ host, port, adminHost, adminPort }: Config) => [
  { about: "port", host, port, settings: "PORT or HOST", path: "/readyz", findingOf: readiness },
  ...Option.toArray(adminPort).map((other) => ({
    about: "admin port",
    host: adminHost,
    port: other,
    settings: "ADMIN_PORT or ADMIN_HOST",
    path: "/metrics",
    findingOf: metrics,
  })),
]

/** Findings about the service's ports. The doctor listens briefly on each port that is free. */
export const portFindings = (config: Config) => Effect.forEach(listenersOf(config), findingAt)
