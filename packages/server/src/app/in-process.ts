import type { Call } from '../kernel/calls.ts'
import { invoke } from '../kernel/invoke/invoke.ts'
import type { Runtime } from '../kernel/invoke/runtime.ts'
import { invariant } from '../lib/invariant.ts'

/**
 * Calls an operation by its name, `records.create`, with parameters flat and the body under `body`; returns the
 * answer's body.
 */
export type InProcessCall = (
  name: string,
  input: Readonly<Record<string, unknown>>,
  options?: { readonly idempotencyKey?: string },
) => Promise<unknown>

/** The calls that an app serves, and their dependencies. */
export type Served = { readonly runtime: Runtime; readonly calls: readonly Call[] }

/** The API without a network: the same code path, rules included, for the actor of the credential. */
export const inProcess =
  ({ runtime, calls }: Served, authorization: string, requestId: string): InProcessCall =>
  async (name, input, { idempotencyKey } = {}) => {
    const call = calls.find((one) => one.name === name)
    invariant(call !== undefined, `no call ${name}`)
    const incoming = {
      surface: 'server' as const,
      authorization,
      idempotencyKey,
      ifMatch: undefined,
      requestId,
      scope: input,
      readInput: async () => input,
    }
    return (await invoke(runtime, call, incoming)).body
  }
