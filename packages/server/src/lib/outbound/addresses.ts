import ipaddr from 'ipaddr.js'

type Network = ReturnType<typeof ipaddr.parseCIDR>

/** Targets that an operator allows although their addresses are not public. */
export type AllowedTargets = {
  /** `host` or `host:port`, in the form of a URL. */
  readonly hosts: ReadonlySet<string>
  readonly networks: readonly Network[]
}

/** The host and port that a URL leads to. */
export type Target = { readonly host: string; readonly port: number }

const defaultPorts: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 }

/** A name without the dot at its end, which means the same; an IPv6 address without its brackets. */
const plainHost = (hostname: string): string => hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')

export const targetOf = ({ protocol, hostname, port }: URL): Target => ({
  host: plainHost(hostname),
  port: port === '' ? (defaultPorts[protocol] ?? 0) : Number(port),
})

const withPort = /^(?<host>\[[^\]]+\]|[^:]+):(?<port>\d{1,5})$/

/** `host` or `host:port` in the form of a URL; undefined for anything else. */
function hostEntry(entry: string): string | undefined {
  const { host = entry, port } = withPort.exec(entry)?.groups ?? {}
  const bracketed = ipaddr.IPv6.isValid(host) ? `[${host}]` : host
  const url = `http://${bracketed}`
  if (!URL.canParse(url) || /[/?#@\s]/.test(bracketed) || Number(port ?? 0) > 65_535) return undefined
  const parsed = new URL(url)
  if (parsed.port !== '') return undefined
  return port === undefined ? plainHost(parsed.hostname) : `${plainHost(parsed.hostname)}:${Number(port)}`
}

/** Tells whether a text is `host`, `host:port` or a network such as `10.0.0.0/8`. */
export const isAllowedTarget = (entry: string): boolean =>
  entry.includes('/') ? ipaddr.isValidCIDR(entry) : hostEntry(entry) !== undefined

/** Reads the entries of `WEBHOOK_ALLOWED_HOSTS`. */
export const allowedTargets = (entries: readonly string[]): AllowedTargets => ({
  hosts: new Set(entries.flatMap((entry) => (entry.includes('/') ? [] : [hostEntry(entry) ?? entry]))),
  networks: entries.filter((entry) => entry.includes('/')).map((entry) => ipaddr.parseCIDR(entry)),
})

export const isNamed = ({ hosts }: AllowedTargets, { host, port }: Target): boolean =>
  hosts.has(host) || hosts.has(`${host}:${port}`)

/** Tells whether a request may connect to an address: it is public, or in a network that the operator has opened. */
export function mayConnect({ networks }: AllowedTargets, address: string): boolean {
  // An IPv4 address inside an IPv6 one (::ffff:127.0.0.1) is judged as what it leads to.
  const parsed = ipaddr.process(address)
  return isPublic(parsed) || networks.some((network) => network[0].kind() === parsed.kind() && parsed.match(network))
}

/** Public IPv6 addresses are in 2000::/3: addresses outside, such as ::127.0.0.1, have no range of their own. */
const publicV6 = ipaddr.IPv6.parseCIDR('2000::/3')

const isPublic = (address: ipaddr.IPv4 | ipaddr.IPv6): boolean =>
  address.range() === 'unicast' && (!(address instanceof ipaddr.IPv6) || address.match(publicV6))
