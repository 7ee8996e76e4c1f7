import { isIPv6 } from 'node:net'

/** Whom a limit is counted for: an IPv4 address, or the /64 of an IPv6 one, which is what one household is given. */
export function addressBlock(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '')
  if (!isIPv6(plain)) return plain
  const [head = '', tail] = plain.split('%', 1)[0]?.split('::') ?? []
  const groups = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - groups.length - after.length }, () => '0')
  return `${[...groups, ...zeros, ...after].slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`
}
