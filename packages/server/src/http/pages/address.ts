import ipaddr from 'ipaddr.js'

/** Whom a limit is counted for: an IPv4 address, or the /64 of an IPv6 one, which is what one household is given. */
export function addressBlock(address: string): string {
  if (!ipaddr.isValid(address)) return address
  // An IPv4 address that came by a socket of IPv6 is one of IPv4 again.
  const parsed = ipaddr.process(address)
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString()
  return `${new ipaddr.IPv6([...parsed.parts.slice(0, 4), 0, 0, 0, 0]).toString()}/64`
}
