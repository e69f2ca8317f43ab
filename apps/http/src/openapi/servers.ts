/** The addresses that the contract lists. */
import type { Deployment } from "@petstore/core"
import type { ServerEntry } from "@petstore/docs/contract"
import { Option } from "effect"
import type { Config } from "../config.js"

/** Relative to the address the contract was fetched from: right behind every proxy, and never built from `Host`. */
const here = "/v1"

/**
 * Production and staging. An address that was not set is the deployment's own.
 * A deployment never gives its own address for the other's: a caller who means
 * staging must not reach production. On a developer's machine it is both.
 */
export const serversOf = (
  deployment: Deployment,
  { publicBaseUrl, stagingBaseUrl }: Pick<Config, "publicBaseUrl" | "stagingBaseUrl">,
): ReadonlyArray<ServerEntry> => {
  const own = (name: Deployment) =>
    deployment === name || deployment === "development" ? Option.some(here) : Option.none<string>()
  const entries = [
    { url: Option.orElse(publicBaseUrl, () => own("production")), description: "Production" },
    { url: Option.orElse(stagingBaseUrl, () => own("staging")), description: "Staging" },
  ]
  return entries.flatMap(({ url, description }) => (Option.isNone(url) ? [] : [{ url: url.value, description }]))
}

/** Those of the contract as it is committed: no address is known yet. */
export const relativeServers = serversOf("development", { publicBaseUrl: Option.none(), stagingBaseUrl: Option.none() })
