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

export const isLoopback = (address: string): boolean => addressIn(address)?.range() === "loopback"

/** Whether a webhook may be delivered to an address, which is not a name. */
export const mayReach = ({ deployment, webhookNetworks }: AddressRules, text: string): boolean => {
  const address = addressIn(text)
  if (address === undefined) return false
  return (
    isPublic(address) ||
    webhookNetworks.some((network) => isIn(address, network)) ||
    (deployment === "development" && isLoopback(text))
  )
}

/** A host's addresses, all of which may be reached. */
export type Addresses = ReadonlyArray<{ readonly address: string; readonly family: number }>

/** Why nothing was sent to a webhook. The message is a sentence. */
export class NotReached extends Error {}

/** Resolves the host of a URL once. Rejects with {@link NotReached} if one of its addresses must not be reached. */
export const addressesOf = async (rules: AddressRules, url: URL): Promise<Addresses> => {
  const host = url.hostname.replace(/^\[|\]$/g, "")
  const found = await lookup(host, { all: true })
  const refused = found.find(({ address }) => !mayReach(rules, address))
  if (refused !== undefined)
    throw new NotReached(
      `${host} has the address ${refused.address}, which is not public. WEBHOOK_NETWORKS may allow its network.`,
    )
  if (url.protocol !== "https:" && !found.every(({ address }) => isLoopback(address))) {
    throw new NotReached(`${host} needs https.`)
  }
  return found
}

/** Why a URL cannot be a webhook's; `undefined` if it can, as far as its text shows. */
export const whyNotUrl = (rules: AddressRules, text: string): string | undefined => {
  const url = URL.parse(text)
  const isPlain = url?.protocol === "http:" && rules.deployment === "development"
  if (url === null || (url.protocol !== "https:" && !isPlain)) return "expected an https URL"
  if (url.username !== "" || url.password !== "" || url.hash !== "") return "expected a URL without a password and fragment"
  const host = url.hostname.replace(/^\[|\]$/g, "")
  if (addressIn(host) !== undefined && !mayReach(rules, host)) {
    return `expected a public address: ${host} is inside. WEBHOOK_NETWORKS may allow its network`
  }
  return isPlain && host !== "localhost" && !isLoopback(host) ? "expected an https URL: http is only for loopback" : undefined
}
