import type { contract, Endpoint, Output } from '@kontor/contract'
import { invariant } from '../../lib/guards.ts'
import type { Actor } from '../actor.ts'
import type { Call } from '../calls.ts'
import { invoke } from './invoke.ts'
import type { Alongside, Runtime } from './runtime.ts'

/**
 * Calls an operation by its name, `records.create`, with parameters flat and the body under `body`; returns the
 * answer's body.
 */
export type InProcessCall = <D extends keyof Operations, K extends keyof Operations[D] & string>(
  name: `${D}.${K}`,
  input: Readonly<Record<string, unknown>>,
  options?: Options,
) => Promise<OutputOf<Operations[D][K]>>

/** The same for an operation that changes something, whose answer `told` turns into what is returned. */
export type InProcessChange = <D extends keyof Operations, K extends keyof Operations[D] & string, T>(
  name: `${D}.${K}`,
  input: Readonly<Record<string, unknown>>,
  told: (answer: OutputOf<Operations[D][K]>) => T,
) => Promise<T>

type Options = {
  readonly idempotencyKey?: string
  /** The `ETag` of what is to be changed. */
  readonly ifMatch?: string
  readonly alongside?: Alongside
}
type Operations = typeof contract
type OutputOf<E> = E extends Endpoint ? Output<E> : never

/** The calls that an app serves, and their dependencies. */
export type Served = { readonly runtime: Runtime; readonly calls: readonly Call[] }

/** A caller, by a credential or as identified by the server. */
export type InProcessCaller = { readonly authorization: string } | { readonly actor: Actor }

/** The same where the name is data. */
export type CallByName = (name: string, input: Readonly<Record<string, unknown>>, options?: Options) => Promise<unknown>

/** The API without a network: the same code path, rules included. */
export const inProcess = (served: Served, caller: InProcessCaller, requestId: string): InProcessCall =>
  answering(inProcessByName(served, caller, requestId))

/** The same calls with the types of their answers, which the contract says. */
export const answering =
  (byName: CallByName): InProcessCall =>
  async <T>(...given: Parameters<CallByName>) =>
    (await byName(...given)) as T

export const inProcessByName =
  ({ runtime, calls }: Served, caller: InProcessCaller, requestId: string): CallByName =>
  async (name, input, { idempotencyKey, ifMatch, alongside } = {}) => {
    const call = calls.find((one) => one.name === name)
    invariant(call !== undefined, `no call ${name}`)
    const incoming = {
      surface: 'server' as const,
      authorization: undefined,
      ...caller,
      idempotencyKey,
      ifMatch,
      alongside,
      requestId,
      scope: input,
      readInput: async () => input,
    }
    return (await invoke(runtime, call, incoming)).body
  }
