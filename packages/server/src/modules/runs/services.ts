import type { Actor } from '../../kernel/actor.ts'
import type { CallByName, InProcessCall } from '../../kernel/invoke/in-process.ts'
import type { Runtime } from '../../kernel/invoke/runtime.ts'
import type { SchemaSets } from '../schemas/index.ts'
import type { Plugins } from '../plugins/index.ts'
import type { WorkflowKinds } from './kinds.ts'

/** The parts of the server that runs of workflows need. */
export type WorkflowServices = {
  readonly plugins: Plugins
  readonly writeEvents: Runtime['writeEvents']
  /** The API, as an actor of ours. */
  readonly actAs: (actor: Actor, requestId: string) => InProcessCall
  readonly actByName: (actor: Actor, requestId: string) => CallByName
  readonly schemaSets: SchemaSets
  /** All kinds of workflows. */
  readonly kinds: WorkflowKinds
}

export type WorkspaceName = { readonly id: string; readonly slug: string }
