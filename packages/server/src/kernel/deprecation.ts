import { contract, type Contract, type Deprecation } from '@kontor/contract'

/** Where a call goes, and what it names. */
type Called = { readonly baseUrl: string; readonly parameters: Readonly<Record<string, unknown>> }

/**
 * What each answer of an operation says that is to go: `Deprecation` (RFC 9745), `Sunset` (RFC 8594), and the address
 * of what takes its place (`successor-version`, RFC 5829).
 */
export function deprecationHeaders({ since, ends, instead }: Deprecation, called: Called): Record<string, string> {
  const successor = successorOf(instead, called)
  return {
    Deprecation: `@${Date.parse(since) / 1000}`,
    ...(ends !== undefined && { Sunset: new Date(ends).toUTCString() }),
    ...(successor !== undefined && { Link: `<${successor}>; rel="successor-version"` }),
  }
}

const all: Contract = contract

/** The address of an operation for what this call is about; none where it needs more than the call names. */
function successorOf(operation: string, { baseUrl, parameters }: Called): string | undefined {
  const [domain = '', key = ''] = operation.split('.')
  const path = all[domain]?.[key]?.path.replaceAll(/\{(\w+)\}/g, (open, name: string) => {
    const value = parameters[name]
    return typeof value === 'string' ? encodeURIComponent(value) : open
  })
  return path === undefined || path.includes('{') ? undefined : `${baseUrl}${path}`
}
