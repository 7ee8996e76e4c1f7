import type { WorkspaceReadContext, WriteContext } from '../../kernel/implement.ts'
import type { Failure } from '../../kernel/errors.ts'
import type { Principal, Securable } from './rules.ts'

/** A target: something that can be shared. */
export type AccessTarget = Securable & {
  /** The name of its object, as in paths and events. */
  readonly object: string
  /**
   * The object name under which its grants are stored; for records the key of their object, so that an object made anew
   * does not inherit them.
   */
  readonly objectKey: string
  /** The id under which grants on its whole object are stored, if there can be any. */
  readonly objectGrantsId?: string
  /** Its `visibility` without a grant to the workspace, as the target declares it; 0 if it declares nothing. */
  readonly unshared?: number
  /** The principal for this object. */
  readonly principal: Principal
}

/**
 * The targets of a module, visible or not, as access finds them: each module exports its own, and `modules/index.ts`
 * passes them on. `object` is the name in the path.
 */
export type AccessTargets = {
  /** Finds live targets by id, in no order. Throws if the object does not exist. */
  readonly find: (ctx: WorkspaceReadContext, object: string, ids: readonly string[]) => Promise<AccessTarget[]>
  /** Finds and locks targets in the order of the ids: grants are changed, and their events emitted, under this lock. */
  readonly lock: (ctx: WriteContext, object: string, ids: readonly string[]) => Promise<AccessTarget[]>
  /**
   * Writes the level granted to the workspace, 0 for none, wherever the module stores it, but nothing below `unshared`
   * of the target. The target is locked.
   */
  readonly updateVisibility: (ctx: WriteContext, target: AccessTarget, visibility: number) => Promise<void>
  /** Users whose records the owner of a target merged into it: they keep managing it for as long as they want to. */
  readonly takenFrom?: (ctx: WriteContext, target: AccessTarget) => Promise<readonly string[]>
  /** The 404 for an id that `find` did not find, or that the caller may not see. */
  readonly missing: (ctx: WorkspaceReadContext, object: string, id: string) => Promise<Failure>
}
