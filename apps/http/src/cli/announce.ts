/** The output of `petstore serve` after its start: commands for a developer to paste, or log lines for an operator. */
import { Option } from "effect"
import type { Config } from "../config.js"
import { type Address, hostInUrl, originOf } from "../http/listen.js"
import { logLine } from "../telemetry/log-line.js"
import { addAndList, createKey, sameStore } from "./pasted.js"

/** How a caller can get an API key. */
export type Access =
  /** The first key, just created. Its secret is shown only once. */
  | { readonly secret: string }
  /** The store contains only hashes of its keys, so a caller needs a new key for this account. */
  | { readonly accountName: string }
  /** There is no key yet. An operator has to create the first one. */
  | "no key"

const howToCall = (config: Pick<Config, "database">, baseUrl: string, access: Exclude<Access, "no key">) => {
  if ("secret" in access) {
    return [
      `API key, shown once: ${access.secret}`,
      "Add a pet and list it:",
      "",
      addAndList(baseUrl, `'Authorization: Bearer ${access.secret}'`),
      "",
    ]
  }
  const where = config.database.adapter === "postgres" ? "In a shell with the same DATABASE_URL, create" : "Create"
  const create = `npx --no ${createKey(access.accountName)}`
  return [
    `The API keys in this store cannot be shown again. ${where} another one, add a pet and list it:`,
    "",
    // The key is the last line that the command prints.
    `export PETSTORE_API_KEY=$(${sameStore(config)}${create} | tail -n 1)`,
    addAndList(baseUrl, '"Authorization: Bearer $PETSTORE_API_KEY"'),
    "",
  ]
}

const noKey = `There is no valid API key yet. Create one: ${createKey(undefined)}`

/**
 * The text for standard output once the service is ready. Write it at once, so that a program that reads the first line also gets
 * the others. `access` is `undefined` if the text need not mention keys.
 */
export const announcement = (
  config: Pick<Config, "deployment" | "adminHost" | "database" | "storePage">,
  address: Address,
  metricsPort: Option.Option<number>,
  access: Access | undefined,
): string => {
  const { deployment, adminHost, storePage } = config
  const baseUrl = `${originOf(address)}/v1`
  const served = `The pet store inventory (${deployment}) is served at ${baseUrl}`
  const docs = baseUrl.replace(/v1$/, "docs")
  const store = storePage ? baseUrl.replace(/v1$/, "store") : undefined
  const metrics = Option.getOrUndefined(Option.map(metricsPort, (own) => `http://${hostInUrl(adminHost)}:${own}/metrics`))
  if (deployment !== "development") {
    return logLine("info", { baseUrl, docs, store, metrics }, served) + (access === "no key" ? logLine("warn", {}, noKey) : "")
  }
  const lines = [
    served,
    `The documentation is at ${docs}`,
    ...(store === undefined ? [] : [`The page for store staff is at ${store}`]),
    ...(metrics === undefined ? [] : [`Metrics are at ${metrics}`]),
    ...(access === undefined || access === "no key" ? [] : howToCall(config, baseUrl, access)),
  ]
  return `${lines.join("\n")}\n`
}
