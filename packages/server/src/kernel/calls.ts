import { inWorkspace, isMutation, type Contract, type Endpoint } from '@kontor/contract'
import type { Answer, Chunks } from './implement.ts'
import { invariant } from '../lib/invariant.ts'
import { Usage } from './invoke/usage.ts'

/** An endpoint with its handler; every transport is built from the list of these. */
export type Call = {
  /** `<domain>.<key>`: the tRPC path, the log field and the idempotency scope. */
  readonly name: string
  readonly endpoint: Endpoint
  readonly handler: (ctx: unknown, input: unknown) => Promise<Answer<unknown> | { readonly chunks: Chunks }>
  readonly usage: Usage
}

export function listCalls(
  contract: Contract,
  modules: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
): Call[] {
  return Object.entries(contract).flatMap(([domain, endpoints]) =>
    Object.entries(endpoints).map(([key, endpoint]) => {
      const handler = modules[domain]?.[key]
      invariant(typeof handler === 'function', `no handler for ${domain}.${key}`)
      invariant(
        endpoint.caller !== 'public' || !(isMutation(endpoint) || inWorkspace(endpoint)),
        `${domain}.${key} is public, and no plain read`,
      )
      return { name: `${domain}.${key}`, endpoint, handler: handler as Call['handler'], usage: new Usage() }
    }),
  )
}
