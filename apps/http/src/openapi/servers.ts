/** The addresses that the contract lists. */

import type { ServerEntry } from "@petstore/core/contract"
import { basePath } from "@petstore/core/contract"
import { Option } from "effect"
import type { Config } from "../config.js"

type Addresses = Pick<Config, "deployment" | "publicBaseUrl" | "stagingBaseUrl">

/** The path that a proxy puts in front of this deployment's paths, such as `/api`, or `""`. Never built from `Host`. */
export const pathPrefixOf = ({ deployment, publicBaseUrl, stagingBaseUrl }: Addresses): string =>
  Option.match(deployment === "staging" ? stagingBaseUrl : publicBaseUrl, {
    onNone: () => "",
    onSome: (url) => new URL(url).pathname.slice(0, -basePath.length),
  })

/**
 * The deployments whose addresses are known: those in the settings, and this deployment's own. A deployment never shows its own
 * address for another deployment, because a client that is meant for staging must not reach production.
 */
export const serversOf = (addresses: Addresses): ReadonlyArray<ServerEntry> => {
  const { deployment, publicBaseUrl, stagingBaseUrl } = addresses
  const servers = [
    ["production", "Production", publicBaseUrl],
    ["staging", "Staging", stagingBaseUrl],
    ["development", "Development", Option.none<string>()],
  ] as const
  return servers.flatMap(([name, description, known]) => {
    const url = Option.getOrElse(known, () => (name === deployment ? pathPrefixOf(addresses) + basePath : undefined))
    return url === undefined ? [] : [{ url, description }]
  })
}

const placeholder = (name: string, description: string, example: string): ServerEntry => ({
  url: `{${name}}`,
  description,
  variables: { [name]: { default: example } },
})

/**
 * The addresses in the committed contract: that of `npm start`, which tools use unless told otherwise, and the two that the
 * specification names (1.4), as placeholders.
 */
export const unknownServers: ReadonlyArray<ServerEntry> = [
  { url: "http://127.0.0.1:3000/v1", description: "Development" },
  placeholder("base_url", "Production", "https://petstore.example/v1"),
  placeholder("staging_base_url", "Staging", "https://staging.petstore.example/v1"),
]
