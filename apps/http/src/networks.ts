/** Networks of addresses, as settings name them. */
import ipaddr from "ipaddr.js"

/** The addresses with the same first bits. */
export type Network = readonly [address: ipaddr.IPv4 | ipaddr.IPv6, bits: number]

/** Decodes networks such as `10.0.0.0/8`. Gives `undefined` if one of them is not a network. */
export const decodeNetworks = (networks: ReadonlyArray<string>): ReadonlyArray<Network> | undefined =>
  networks.every((network) => ipaddr.IPv6.isValidCIDR(network) || ipaddr.IPv4.isValidCIDRFourPartDecimal(network))
    ? networks.map((network) => ipaddr.parseCIDR(network))
    : undefined

/** An address, an IPv6 address of an IPv4 address as that, or `undefined` for a name. */
export const addressIn = (text: string): Network[0] | undefined =>
  ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text) ? ipaddr.process(text) : undefined

export const isIn = (address: Network[0], [network, bits]: Network): boolean =>
  // Safe: both are of one kind.
  address.kind() === network.kind() && address.match([network, bits] as [ipaddr.IPv4, number] & [ipaddr.IPv6, number])

/** Whether an address is in one of the networks. */
export const isInOneOf =
  (networks: ReadonlyArray<Network>) =>
  (text: string): boolean => {
    const address = addressIn(text)
    return address !== undefined && networks.some((network) => isIn(address, network))
  }
