import type { App } from './app.ts'
import { invoke } from './kernel/invoke.ts'
import { invariant } from './kernel/invariant.ts'

/** Calls an operation by its name, `records.create`, with parameters flat and the body under `body`; the answer's body. */
export type InProcessCall = (name: string, input: Readonly<Record<string, unknown>>, options?: { readonly idempotencyKey?: string }) => Promise<unknown>

/** The API without a network: the same path, rules included, for whoever the credential names. */
export const inProcess =
  ({ runtime, calls }: Pick<App, 'runtime' | 'calls'>, authorization: string, requestId: string): InProcessCall =>
  async (name, input, { idempotencyKey } = {}) => {
    const call = calls.find((one) => one.name === name)
    invariant(call !== undefined, `no call ${name}`)
    const incoming = { surface: 'server' as const, authorization, idempotencyKey, ifMatch: undefined, requestId, scope: input, readInput: async () => input }
    return (await invoke(runtime, call, incoming)).body
  }
