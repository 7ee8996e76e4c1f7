import type { AsyncTaskResource } from '@kontor/contract'
import { enqueue } from '../../../engine/store.ts'
import { actorId } from '../../../kernel/actor.ts'
import { Failure } from '../../../kernel/errors.ts'
import type { WorkspaceReadContext } from '../../../kernel/implement.ts'
import { suggestion } from '../../../kernel/nearest.ts'
import { insertTask, presentTask } from '../../async-tasks/index.ts'
import { workspaceSchemas, type SchemaContext, type StoredSchema, type WorkspaceSchemas } from '../../schemas/index.ts'
import type { Target } from '../change/drafts.ts'
import { effectsOf } from '../change/effects.ts'
import { enqueueCleanings } from '../clean/job.ts'
import { putInForce } from '../put-in-force.ts'
import { changeType, rowsFirst } from '../steps/payload.ts'
import { insertTargets, isReserved } from '../store.ts'

export type Services = { readonly memberships: { readonly forget: () => void } }

/** The schema of an object; 404 with the nearest name if there is none. */
export function requireObject(ctx: Pick<WorkspaceReadContext, 'fail'>, schemas: WorkspaceSchemas, name: string): StoredSchema {
  const schema = schemas.get(name)
  if (schema === undefined) throw ctx.fail('not_found', { detail: `There is no object "${name.slice(0, 64)}" in this workspace.${suggestion(name, [...schemas.keys()])}` })
  return schema
}

/** Somebody else changes one of the objects: what is planned now would be planned for what they are not any more. */
const inProgress = (): Failure =>
  new Failure({ code: 'schema_modification_in_progress', detail: 'Another change of this object, or of one that it is related to, is under way.' }, { retryAfterSeconds: 1 })

/** Makes a change that asks nothing of the records, at once. */
export async function applyNow({ memberships }: Services, ctx: SchemaContext, targets: readonly Target[]): Promise<void> {
  const { tx, now, emit, actor } = ctx
  const { workspaceId } = ctx.workspace
  if (await isReserved(tx, workspaceId, targets.map(({ name }) => name))) throw inProgress()
  await putInForce(tx, { workspaceId, userId: actorId(actor), now, emit }, await workspaceSchemas(ctx), targets)
  await enqueueCleanings(tx, workspaceId, targets.flatMap((target) => effectsOf(target).cleanings), now)
  ctx.afterCommit(() => memberships.forget())
}

/** Reserves the objects of a change and leaves the rest to a job. */
export async function applyLater(ctx: SchemaContext, entity: string, targets: readonly Target[], silent: boolean): Promise<AsyncTaskResource> {
  const { tx, now, actor } = ctx
  const { workspaceId } = ctx.workspace
  const taskId = ctx.newId()
  if (!(await insertTargets(tx, workspaceId, taskId, now, targets))) throw inProgress()
  const task = await insertTask(tx, workspaceId, { id: taskId, user_id: actorId(actor), type: 'schema_modification', metadata: { entity }, now })
  await enqueue(tx, { workspaceId, kind: changeType, payload: { taskId, actor, silent, step: 'begin', waiting: null, place: null, rows: rowsFirst, findings: [], failures: 0 }, now })
  return presentTask(task, ctx)
}
