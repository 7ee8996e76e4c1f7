import type { Scope } from '@kontor/contract'
import { invariant } from '../../lib/guards.ts'
import type { WorkflowRow } from './store.ts'

/** The operations through which alone workflows of a kind are changed and run; other kinds have those of workflows. */
type OwnOperations = {
  /** The last segment of their paths. */
  readonly collection: string
  /** The scope without which no caller sees the inputs of their steps. */
  readonly scope: Scope
  /** The reason that callers are given who change or run one as a workflow. */
  readonly refusal: string
}

/** A kind of workflow, as far as definitions know it; its module declares it, and modules/index.ts lists all. */
export type DefinitionKind = { readonly type: WorkflowRow['type']; readonly ownOperations?: OwnOperations }

export type DefinitionKinds = readonly DefinitionKind[]

/** Returns the kind of a workflow. */
export function kindOf<K extends DefinitionKind>(kinds: readonly K[], type: K['type']): K {
  const found = kinds.find((kind) => kind.type === type)
  invariant(found !== undefined, `No module declares the kind of workflow "${type}".`)
  return found
}
