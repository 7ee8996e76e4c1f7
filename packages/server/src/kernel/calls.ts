import {
  inWorkspace,
  isMutation,
  isOpen,
  isReplacement,
  isStream,
  readsOne,
  type Contract,
  type Endpoint,
  type Deprecation,
} from '@kontor/contract'
import type { Answer, Chunks, FindAddress, Stream } from './implement.ts'
import { invariant } from '../lib/guards.ts'
import { Usage } from './invoke/metered.ts'

/** The way that a call takes through `invoke`. */
type CallKind = 'public' | 'address' | 'stream' | 'read' | 'change'

/** An endpoint with its handler; every transport is built from the list of these. */
export type Call = {
  /** `<domain>.<key>`: the tRPC path, the log field and the idempotency scope. */
  readonly name: string
  readonly endpoint: Endpoint
  readonly kind: CallKind
  readonly handler: (ctx: unknown, input: unknown) => Promise<Answer<unknown> | { readonly chunks: Chunks } | Stream>
  /** Runs before the transaction of a change, and returns its handler. */
  readonly prepare: ((ctx: unknown, input: unknown) => Promise<(ctx: unknown) => Promise<Answer<unknown>>>) | undefined
  /** Finds an address that is its own credential. */
  readonly find: FindAddress | undefined
  readonly usage: Usage
  /** The call that reads, at the same path, the resource that a change replaces or updates. */
  readonly reader: Call | undefined
  /** Returns the headers that announce the end of the operation; undefined if it stays. */
  readonly deprecation: ((called: Called) => Record<string, string>) | undefined
}

function kindOf(endpoint: Endpoint): CallKind {
  const { caller } = endpoint
  if (caller === 'public' || caller === 'address') return caller
  if (isStream(endpoint)) return 'stream'
  return isMutation(endpoint) ? 'change' : 'read'
}

export function listCalls(
  contract: Contract,
  modules: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
): Call[] {
  const calls: Call[] = handledCalls(contract, modules)
  const readers = new Map(calls.filter(({ endpoint }) => readsOne(endpoint)).map((call) => [call.endpoint.path, call]))
  return calls.map((call) =>
    isReplacement(call.endpoint) ? { ...call, reader: readers.get(call.endpoint.path) } : call,
  )
}

const handledCalls = (
  contract: Contract,
  modules: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
): Call[] =>
  Object.entries(contract).flatMap(([domain, endpoints]) =>
    Object.entries(endpoints).map(([key, endpoint]): Call => {
      const handler = modules[domain]?.[key]
      invariant(typeof handler === 'function', `no handler for ${domain}.${key}`)
      invariant(
        !isOpen(endpoint) || !inWorkspace(endpoint),
        `${domain}.${key} asks for no credential, and stands in a workspace`,
      )
      invariant(
        endpoint.caller !== 'public' || !isMutation(endpoint),
        `${domain}.${key} is public, and changes something`,
      )
      const made = handler as Call['handler'] & Partial<Pick<Call, 'prepare' | 'find'>>
      const { prepare, find } = made
      invariant(endpoint.caller !== 'address' || find, `${domain}.${key} does not find its address`)
      const { deprecated } = endpoint
      return {
        name: `${domain}.${key}`,
        endpoint,
        kind: kindOf(endpoint),
        handler: made,
        prepare,
        find,
        usage: new Usage(),
        reader: undefined,
        deprecation: deprecated && ((called) => deprecationHeaders(contract, deprecated, called)),
      }
    }),
  )

/** Where a call goes, and what it names. */
type Called = { readonly baseUrl: string; readonly parameters: Readonly<Record<string, unknown>> }

/**
 * Returns the headers of an operation that ends: `Deprecation` (RFC 9745), `Sunset` (RFC 8594), and the address of what
 * takes its place (`successor-version`, RFC 5829).
 */
function deprecationHeaders(
  contract: Contract,
  { since, ends, instead }: Deprecation,
  called: Called,
): Record<string, string> {
  const successor = successorOf(contract, instead, called)
  return {
    Deprecation: `@${Date.parse(since) / 1000}`,
    ...(ends !== undefined && { Sunset: new Date(ends).toUTCString() }),
    ...(successor !== undefined && { Link: `<${successor}>; rel="successor-version"` }),
  }
}

/** The address of an operation for what this call is about; none where it needs more than the call names. */
function successorOf(contract: Contract, operation: string, { baseUrl, parameters }: Called): string | undefined {
  const [domain = '', key = ''] = operation.split('.')
  const path = contract[domain]?.[key]?.path.replaceAll(/\{(\w+)\}/g, (open, name: string) => {
    const value = parameters[name]
    return typeof value === 'string' ? encodeURIComponent(value) : open
  })
  return path === undefined || path.includes('{') ? undefined : `${baseUrl}${path}`
}
