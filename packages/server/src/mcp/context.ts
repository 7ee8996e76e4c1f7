import { inWorkspace, isMutation } from '@kontor/contract'
import type { Actor } from '../kernel/actor.ts'
import type { Failure } from '../kernel/errors.ts'
import { answering, type CallByName, type Served } from '../kernel/invoke/in-process.ts'
import { invoke } from '../kernel/invoke/invoke.ts'
import type { HeaderSink, Incoming } from '../kernel/invoke/runtime.ts'
import { defined } from '../lib/guards.ts'
import { schemaReader } from './schemas.ts'
import type { ToolContext } from './tool.ts'
import { workspaceOf } from './workspace.ts'

/** The caller, as read by the transport. */
export type McpCaller = {
  readonly actor: Actor
  /** The workspace that the request names. */
  readonly workspace: string | undefined
  readonly headers: Omit<Incoming, 'surface' | 'scope' | 'readInput'>
  /** Notes that the token of an app lacks a scope, which its client can ask the person for. */
  readonly lacksScope: (failed: Failure) => void
  /** Collects headers of the response: those of the rate limit. */
  readonly sink: HeaderSink
}

/** Makes the context of one call of a tool. */
export function toolContext(served: Served, caller: McpCaller): ToolContext {
  const { actor, workspace } = caller
  // A response is made readable at the server's own cost: the caller has asked for one operation, not for its names.
  const lookUp = operationsOf(served, caller, { actor })
  const slug = workspace === undefined ? workspaceOf(actor, answering(lookUp)) : async () => workspace
  const inside = (byName: CallByName): CallByName => within(served, byName, slug)
  const callByName = inside(operationsOf(served, caller, {}))
  return {
    call: answering(callByName),
    callByName,
    calls: served.calls,
    schemas: schemaReader(answering(inside(lookUp))),
  }
}

/** Fills in the workspace where an operation is in one. */
const within =
  ({ calls }: Served, byName: CallByName, slug: () => Promise<string>): CallByName =>
  async (name, input, options) => {
    const call = calls.find((one) => one.name === name)
    return byName(name, call && inWorkspace(call.endpoint) ? { workspace: await slug(), ...input } : input, options)
  }

/** Calls operations by the one path of all surfaces; of several changes under one key, each has its own. */
function operationsOf(
  { runtime, calls }: Served,
  { headers, sink }: McpCaller,
  identified: { readonly actor?: Actor },
): CallByName {
  let changes = 0
  return async (name, input, { idempotencyKey: ownKey, ifMatch } = {}) => {
    const call = defined(calls.find((one) => one.name === name))
    const key = ownKey ?? headers.idempotencyKey
    const number = isMutation(call.endpoint) ? changes++ : 0
    const incoming = {
      ...headers,
      ...identified,
      surface: 'mcp' as const,
      idempotencyKey: key !== undefined && number > 0 ? `${key}#${number}` : key,
      ifMatch: ifMatch ?? headers.ifMatch,
      scope: input,
      readInput: async () => input,
    }
    return (await invoke(runtime, call, incoming, sink)).body
  }
}
