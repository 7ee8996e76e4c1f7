import type { AsyncTaskResource } from '@kontor/contract'
import { enqueue } from '../../../engine/store.ts'
import { actorId } from '../../../kernel/actor.ts'
import { Failure } from '../../../kernel/errors.ts'
import { invariant } from '../../../lib/guards.ts'
import { insertTask, presentTask } from '../../async-tasks/index.ts'
import { workspaceSchemas, type SchemaContext } from '../../schemas/index.ts'
import type { DraftTarget } from '../change/drafts.ts'
import { effectsOf } from '../change/effects.ts'
import { enqueueCleanings } from '../clean/job.ts'
import { putInForce, type FollowSchemas } from '../put-in-force.ts'
import { changeType, rowsFirst } from '../change/payload.ts'
import { isReserved } from './store.ts'
import { insertTargets } from '../store.ts'

export type Services = {
  readonly memberships: { readonly forget: () => void }
  readonly followSchemas: FollowSchemas
}

/** Returns whether the caller wants the change without events. */
export const isSilent = ({ given }: SchemaContext): boolean => given['silent'] === true

/** Another change of one of the objects is in progress: a plan made now would rest on outdated versions. */
export const inProgress = (): Failure =>
  new Failure(
    {
      code: 'schema_modification_in_progress',
      detail: 'Another change of this object, or of one that it is related to, is in progress.',
    },
    { retryAfterSeconds: 1 },
  )

/** Applies a change at once that requires nothing of the records. */
export async function applyNow(
  { memberships, followSchemas }: Services,
  ctx: SchemaContext,
  targets: readonly DraftTarget[],
): Promise<void> {
  const { tx, now, emit, actor } = ctx
  const { workspaceId } = ctx.workspace
  if (
    await isReserved(
      tx,
      workspaceId,
      targets.map(({ name }) => name),
    )
  )
    throw inProgress()
  await putInForce(
    tx,
    { workspaceId, userId: actorId(actor), now, emit },
    await workspaceSchemas(ctx),
    targets,
    followSchemas,
  )
  await enqueueCleanings(
    tx,
    workspaceId,
    targets.flatMap((target) => effectsOf(target).cleanings),
    now,
  )
  ctx.afterCommit(() => memberships.forget())
}

/** Reserves the objects of a change and leaves the rest to a job. */
export async function startChange(
  ctx: SchemaContext,
  entity: string,
  targets: readonly DraftTarget[],
  silent: boolean,
): Promise<AsyncTaskResource> {
  const { tx, now } = ctx
  const { workspaceId } = ctx.workspace
  const taskId = ctx.newId()
  if (
    await isReserved(
      tx,
      workspaceId,
      targets.map(({ name }) => name),
    )
  )
    throw inProgress()
  invariant(
    await insertTargets(tx, workspaceId, taskId, now, targets),
    'the holder of the schemas reserves what is free',
  )
  return enqueueChange(ctx, { taskId, entity, silent, step: 'begin' })
}

type NewChange = {
  readonly taskId: string
  readonly entity: string
  readonly silent: boolean
  readonly step: 'begin' | 'wait'
}

/** Creates the task that shows a change to people, and the job that makes it. */
export async function enqueueChange(
  ctx: SchemaContext,
  { taskId, entity, silent, step }: NewChange,
): Promise<AsyncTaskResource> {
  const { tx, now, actor } = ctx
  const { workspaceId } = ctx.workspace
  const task = await insertTask(tx, workspaceId, {
    id: taskId,
    user_id: actorId(actor),
    type: 'schema_modification',
    metadata: { entity },
    now,
  })
  await enqueue(tx, {
    workspaceId,
    kind: changeType,
    payload: { taskId, actor, silent, step, waiting: null, place: null, rows: rowsFirst, findings: [], failures: 0 },
    key: taskId,
    now,
  })
  return presentTask(task, ctx)
}
