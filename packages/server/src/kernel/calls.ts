import {
  inWorkspace,
  isMutation,
  isOpen,
  isReplacement,
  readsOne,
  type Contract,
  type Endpoint,
} from '@kontor/contract'
import type { Answer, Chunks, FindAddress, Stream } from './implement.ts'
import { invariant } from '../lib/invariant.ts'
import { Usage } from './invoke/metered.ts'

/** An endpoint with its handler; every transport is built from the list of these. */
export type Call = {
  /** `<domain>.<key>`: the tRPC path, the log field and the idempotency scope. */
  readonly name: string
  readonly endpoint: Endpoint
  readonly handler: (ctx: unknown, input: unknown) => Promise<Answer<unknown> | { readonly chunks: Chunks } | Stream>
  /** Runs before the transaction of a change, and returns its handler. */
  readonly prepare: ((ctx: unknown, input: unknown) => Promise<(ctx: unknown) => Promise<Answer<unknown>>>) | undefined
  /** Finds an address that is its own credential. */
  readonly find: FindAddress | undefined
  readonly usage: Usage
  /** The call that reads, at the same path, the resource that a change replaces or updates. */
  readonly reader: Call | undefined
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
    Object.entries(endpoints).map(([key, endpoint]) => {
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
      return { name: `${domain}.${key}`, endpoint, handler: made, prepare, find, usage: new Usage(), reader: undefined }
    }),
  )
