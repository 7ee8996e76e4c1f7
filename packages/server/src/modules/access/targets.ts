import type { WorkspaceReadContext, WriteContext } from '../../kernel/implement.ts'
import type { Failure } from '../../kernel/errors.ts'
import type { Principal, Securable } from './rules.ts'

/** Something that can be shared. */
export type AccessTarget = Securable & {
  /** The name of its object, as paths and events have it. */
  readonly object: string
  /** Under what its grants are stored; for records the key of their object, which outlives no object that is made anew. */
  readonly objectKey: string
  /** Under what grants on everything of its object stand, where there can be some. */
  readonly objectGrantsId?: string
  /** Its `visibility` where the workspace is granted nothing, by what it says itself; 0 where nothing is said here. */
  readonly unshared?: number
  /** Who asks, about things of this object. */
  readonly principal: Principal
}

/**
 * How a module lets access find what it holds, whoever may see it: each module exports its own, `modules/index.ts` hands them
 * over. `object` is the name in the path.
 */
export type AccessTargets = {
  /** What is there, live, of some ids; in no order. Throws where there is no such object. */
  readonly find: (ctx: WorkspaceReadContext, object: string, ids: readonly string[]) => Promise<AccessTarget[]>
  /** The same, locked for a change, in the order of the ids: grants are changed, and their events told, under this lock. */
  readonly lock: (ctx: WriteContext, object: string, ids: readonly string[]) => Promise<AccessTarget[]>
  /** Writes the level that the workspace is granted, 0 for none, wherever the module keeps it; nothing below what the target is `unshared`. It is locked. */
  readonly updateVisibility: (ctx: WriteContext, target: AccessTarget, visibility: number) => Promise<void>
  /** Whose records the owner of a target has merged into it: they go on managing it for as long as they want to. */
  readonly takenFrom?: (ctx: WriteContext, target: AccessTarget) => Promise<readonly string[]>
  /** 404 for an id that `find` has not found, or that the caller may not see. */
  readonly missing: (ctx: WorkspaceReadContext, object: string, id: string) => Promise<Failure>
}
