/** The kinds of apps: one that runs on a server keeps a secret, one on a person's device has none. */
export const appTypes = ['confidential', 'public'] as const

export type AppType = (typeof appTypes)[number]

/** The names of the loopback host (RFC 8252 §7.3, and the one that people type). */
const loopbackHosts = ['127.0.0.1', '[::1]', 'localhost']

export const isLoopbackUrl = ({ protocol, hostname }: URL): boolean =>
  protocol === 'http:' && loopbackHosts.includes(hostname)

/**
 * Returns whether a private URI scheme is based on a domain of the app's maker (RFC 8252 §7.1): the required dot
 * excludes every scheme that browsers act upon.
 */
export const isOwnScheme = ({ protocol }: URL): boolean => /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/.test(protocol)

/** Returns the fault of a redirect URI; undefined if it is valid. */
export function redirectUriFault(uri: string, type: AppType): string | undefined {
  const url = URL.parse(uri)
  if (url === null || uri !== uri.trim())
    return `"${uri}" must be an absolute URI, for example https://app.example.com/callback.`
  if (uri.includes('#')) return `"${uri}" must not contain a "#".`
  if (uri.includes('*')) return `"${uri}" must not contain a "*": list each address separately.`
  if (url.username !== '' || url.password !== '') return `"${uri}" must not contain a user name or password.`
  if (url.protocol === 'https:' || isLoopbackUrl(url) || (type === 'public' && isOwnScheme(url))) return undefined
  return (
    `"${uri}" must begin with https://, or with http://127.0.0.1, http://[::1] or ` +
    `http://localhost${type === 'public' ? ", or with an app's own scheme such as com.example.app:" : ''}.`
  )
}
