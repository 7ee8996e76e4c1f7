import type { contract, Endpoint, Output } from '@kontor/contract'
import type { Call } from '../kernel/calls.ts'
import { invoke } from '../kernel/invoke/invoke.ts'
import type { Runtime } from '../kernel/invoke/runtime.ts'
import { invariant } from '../lib/invariant.ts'

/**
 * Calls an operation by its name, `records.create`, with parameters flat and the body under `body`; returns the
 * answer's body.
 */
export type InProcessCall = <D extends keyof Operations, K extends keyof Operations[D] & string>(
  name: `${D}.${K}`,
  input: Readonly<Record<string, unknown>>,
  options?: Options,
) => Promise<OutputOf<Operations[D][K]>>

type Options = { readonly idempotencyKey?: string }
type Operations = typeof contract
type OutputOf<E> = E extends Endpoint ? Output<E> : never

/** The calls that an app serves, and their dependencies. */
export type Served = { readonly runtime: Runtime; readonly calls: readonly Call[] }

/** The API without a network: the same code path, rules included, for the actor of the credential. */
export const inProcess =
  ({ runtime, calls }: Served, authorization: string, requestId: string): InProcessCall =>
  async <T>(name: string, input: Readonly<Record<string, unknown>>, { idempotencyKey }: Options = {}) => {
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
    // The contract says what a call answers.
    return (await invoke(runtime, call, incoming)).body as T
  }
