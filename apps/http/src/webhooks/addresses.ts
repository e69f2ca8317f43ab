/** Which addresses a webhook may reach: public ones, those of WEBHOOK_NETWORKS and, in development, loopback. */
import { lookup } from "node:dns/promises"
import ipaddr from "ipaddr.js"
import type { Config } from "../config.js"
import { addressIn, decodeNetworks, isIn, type Network } from "../networks.js"

/** The one IPv6 network with public addresses, and Azure's wire server, which has a public address inside. */
const publicIpv6: Network = ipaddr.parseCIDR("2000::/3")
const inside = decodeNetworks(["168.63.129.16/32", "192.88.99.0/24", "198.18.0.0/15", "3fff::/20", "2001::/23"]) ?? []

const isPublic = (address: Network[0]): boolean =>
  address.range() === "unicast" &&
  (address.kind() === "ipv4" || isIn(address, publicIpv6)) &&
  !inside.some((network) => isIn(address, network))

export type AddressRules = Pick<Config, "deployment" | "webhookNetworks">

const isLoopback = (address: string): boolean => addressIn(address)?.range() === "loopback"

/** Whether a webhook may be delivered to an address, which is not a name. */
export const mayReach = ({ deployment, webhookNetworks }: AddressRules, text: string): boolean => {
  const address = addressIn(text)
  if (address === undefined) return false
  if (isPublic(address) || webhookNetworks.some((network) => isIn(address, network))) return true
  return deployment === "development" && isLoopback(text)
}

const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, "")

/** Why nothing may be sent to a URL whose host has these addresses; `undefined` if it may. */
const whyNot = (rules: AddressRules, url: URL, addresses: ReadonlyArray<{ readonly address: string }>): string | undefined => {
  const refused = addresses.find(({ address }) => !mayReach(rules, address))?.address
  if (refused !== undefined) return `its host has the address ${refused}, which is not public: WEBHOOK_NETWORKS may allow it`
  const isPlain = url.protocol === "http:" && rules.deployment === "development"
  if (url.protocol !== "https:" && !isPlain) return "expected an https URL"
  const isAllLoopback = addresses.length > 0 && addresses.every(({ address }) => isLoopback(address))
  return isPlain && !isAllLoopback ? "expected an https URL: http is only for loopback" : undefined
}

/** Why a text cannot be a webhook's URL; `undefined` if it can, as far as it shows. */
export const whyNotUrl = (rules: AddressRules, text: string): string | undefined => {
  const url = URL.parse(text)
  if (url === null) return "expected an https URL"
  if (url.username !== "" || url.password !== "" || url.hash !== "") return "expected a URL without a password and fragment"
  const address = hostOf(url).replace(/^localhost$/, "127.0.0.1")
  return whyNot(rules, url, addressIn(address) === undefined ? [] : [{ address }])
}

/** Resolves the host of a URL once. Rejects if one of its addresses must not be reached. */
export const addressesOf = async (rules: AddressRules, url: URL) => {
  const found = await lookup(hostOf(url), { all: true })
  const why = whyNot(rules, url, found)
  if (why !== undefined) throw new Error(why)
  return found
}
