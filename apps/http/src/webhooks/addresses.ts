/** Which addresses a webhook may reach: public ones, those of WEBHOOK_NETWORKS and, in development, loopback. */
import { lookup } from "node:dns/promises"
import { BlockList, isIP } from "node:net"
import { type Config, decodeNetworks } from "../config.js"

/** IPv4 networks that are not public, by IANA's registry of special-purpose addresses, and Azure's wire server. */
const specialIpv4 = [
  ...["0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24"],
  ...["192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24"],
  ...["224.0.0.0/4", "240.0.0.0/4", "168.63.129.16/32"],
]

/** The one IPv6 network with public addresses, and what is special in it: Teredo, documentation and 6to4. */
const publicIpv6 = ["2000::/3"]
const specialIpv6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"]

const familyOf = (address: string): "ipv4" | "ipv6" => (isIP(address) === 4 ? "ipv4" : "ipv6")

const listOf = (networks: ReadonlyArray<string>): BlockList => decodeNetworks(networks) ?? new BlockList()

const [specialV4, publicV6, specialV6] = [listOf(specialIpv4), listOf(publicIpv6), listOf(specialIpv6)]
const loopback = listOf(["127.0.0.0/8", "::1/128"])

const isPublic = (address: string): boolean =>
  isIP(address) === 4 ? !specialV4.check(address) : publicV6.check(address, "ipv6") && !specialV6.check(address, "ipv6")

export type AddressRules = Pick<Config, "deployment" | "webhookNetworks">

export const isLoopback = (address: string): boolean => isIP(address) !== 0 && loopback.check(address, familyOf(address))

/** Whether a webhook may be delivered to an address, which is not a name. */
export const mayReach = ({ deployment, webhookNetworks }: AddressRules, address: string): boolean => {
  if (isIP(address) === 0) return false
  return (
    isPublic(address) ||
    webhookNetworks.check(address, familyOf(address)) ||
    (deployment === "development" && isLoopback(address))
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
  if (refused !== undefined) throw new NotReached(`${host} has the address ${refused.address}, which is not public.`)
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
  if (isIP(host) !== 0 && !mayReach(rules, host)) {
    return `expected a public address: ${host} is inside. WEBHOOK_NETWORKS may allow its network`
  }
  return isPlain && host !== "localhost" && !isLoopback(host) ? "expected an https URL: http is only for loopback" : undefined
}
