import type { UndoConflict } from '@kontor/contract'
import type { JobContext } from '../../engine/types.ts'
import type { Actor, Chain } from '../../kernel/actor.ts'
import type { CallByName } from '../../kernel/invoke/in-process.ts'
import { listEventsOfRun, runPositionOf, type RunEvent, type RunPosition } from '../activities/index.ts'
import { actingAs, actorOf, contextAs, standingOf, type Owner } from '../identity/acting/index.ts'
import type { SchemaSets } from '../schemas/index.ts'
import { findSlug } from '../workspaces/index.ts'
import { revert } from './revert.ts'

export type RevertServices = {
  readonly schemaSets: SchemaSets
  readonly actByName: (actor: Actor, requestId: string) => CallByName
}

/** The changes of a run or an import that are to be reverted, and as whom. */
export type Reversion = {
  readonly runId: string
  /** The chain of workflows that it goes on with. */
  readonly chain: Chain | undefined
  readonly owner: Owner
  readonly silent: boolean
  /** The last change that has been processed; null at the beginning. */
  readonly before: RunPosition | null
}

/** Changes that have been processed, those of them that are as they were before, and those that are not. */
export type RevertedBatch = {
  readonly events: number
  readonly reverted: number
  readonly conflicts: readonly UndoConflict[]
  readonly position: RunPosition | null
  readonly isLast: boolean
}

/** Changes that are reverted between two commits of the job. */
const batchMax = 20

/** Reverts some changes, the last one first; undefined where the one who requested it may do nothing any more. */
export async function revertBatch(
  services: RevertServices,
  { database, workspaceId, clock, signal, heartbeat }: JobContext,
  { runId, chain, owner, silent, before }: Reversion,
): Promise<RevertedBatch | undefined> {
  const at = { workspaceId, now: clock.now() }
  const acting = actingAs(owner, workspaceId)
  const [slug, standing] = await Promise.all([
    findSlug(database.reader, workspaceId),
    standingOf(database.reader, at, acting),
  ])
  if (slug === undefined || 'stopped' in standing) return undefined
  const events = await listEventsOfRun(database.reader, { workspaceId, runId }, before, batchMax)
  const act = services.actByName({ ...actorOf(owner, workspaceId, undefined), ...(chain && { chain }) }, runId)
  const call: CallByName = (name, input, options) => act(name, { ...input, ...(silent && { silent: true }) }, options)
  const conflicts: UndoConflict[] = []
  let reverted = 0
  for (const event of events) {
    signal.throwIfAborted()
    const schemas = await services.schemaSets.readCurrent(database.reader, workspaceId)
    const ctx = contextAs(database.reader, at, schemas, acting, standing.role)
    const left = await revert({ ctx, call, read: act, slug }, event)
    if (left.length === 0) reverted++
    conflicts.push(...left.map((one) => ({ ...aboutOf(event), ...one })))
    await heartbeat()
  }
  const last = events.at(-1)
  return {
    events: events.length,
    reverted,
    conflicts,
    position: last === undefined ? before : runPositionOf(last),
    isLast: events.length < batchMax,
  }
}

const aboutOf = ({ object, record_id, type }: RunEvent) => ({ object, record_id, activity_type: type })
