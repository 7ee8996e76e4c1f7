import type { AsyncTaskResource } from '@kontor/contract'
import { Failure } from '../../../kernel/errors.ts'
import {
  holdSchemas,
  storedSchema,
  type SchemaContext,
  type StoredSchema,
  type WorkspaceSchemas,
} from '../../schemas/index.ts'
import type { DraftTarget } from '../change/drafts.ts'
import { applyNow, enqueueChange, inProgress, startChange, type Services } from '../requests/begin.ts'
import { isSilent } from '../requests/replace.ts'
import { planRequest, type ChangeRequest } from '../requests/request.ts'
import { listRunning } from '../store.ts'
import { insertQueued, listQueued, type Queued } from './store.ts'

/** Changes that may wait in a workspace; each is planned anew with every one that comes behind it. */
const queuedMax = 50

/** Adds something to an object at once, or when its turn comes. */
export async function add(services: Services, ctx: SchemaContext, request: ChangeRequest): Promise<void> {
  const turn = await turnOf(ctx, request)
  if ('targets' in turn) await applyNow(services, ctx, turn.targets)
  else await enqueueBehind(ctx, request, turn)
}

/** Takes something away by a task, which begins at once or when its turn comes. */
export async function remove(ctx: SchemaContext, request: ChangeRequest): Promise<AsyncTaskResource> {
  const turn = await turnOf(ctx, request)
  return 'targets' in turn
    ? startChange(ctx, request.object, turn.targets, isSilent(ctx))
    : enqueueBehind(ctx, request, turn)
}

type Waiting = { readonly queued: readonly Queued[]; readonly objects: readonly string[] }

/**
 * What a change does now, or the objects for which it has to wait. Then it is judged against what they become by all that was
 * accepted before; 409 where the object itself is going to be no more, since nothing can be said about it.
 */
async function turnOf(
  ctx: SchemaContext,
  request: ChangeRequest,
): Promise<{ readonly targets: readonly DraftTarget[] } | Waiting> {
  const schemas = await holdSchemas(ctx)
  const { workspaceId } = ctx.workspace
  const [running, queued] = await Promise.all([listRunning(ctx.tx, workspaceId), listQueued(ctx.tx, workspaceId)])
  if (running.length + queued.length === 0) return { targets: planRequest(schemas, request) }
  const changed = running.map(({ object, target, target_keys: keys, target_version: version, gone }): Outcome => ({
    name: object,
    document: target,
    keys,
    version,
    gone,
  }))
  const expected = expectedAfter(withOutcomes(schemas, changed), queued)
  if (schemas.has(request.object) && !expected.has(request.object)) throw inProgress()
  const objects = planRequest(expected, request).map(({ name }) => name)
  const taken = new Set([...changed.map(({ name }) => name), ...queued.flatMap((one) => one.objects)])
  return objects.some((name) => taken.has(name)) ? { queued, objects } : { targets: planRequest(schemas, request) }
}

type Outcome = Omit<DraftTarget, 'before'>

function withOutcomes(schemas: WorkspaceSchemas, outcomes: readonly Outcome[]): WorkspaceSchemas {
  const after = new Map<string, StoredSchema>(schemas)
  for (const { name, document, keys, version, gone } of outcomes) {
    if (gone) after.delete(name)
    else after.set(name, storedSchema(document, keys, version, schemas.get(name)?.epoch))
  }
  return after
}

/** The schemas as they are going to be once all of the queue has had its turn. */
const expectedAfter = (schemas: WorkspaceSchemas, queued: readonly Queued[]): WorkspaceSchemas =>
  queued.reduce((before, { request }) => {
    try {
      return withOutcomes(before, planRequest(before, request))
    } catch (error) {
      // It is going to fail, and changes nothing.
      if (error instanceof Failure) return before
      throw error
    }
  }, schemas)

async function enqueueBehind(
  ctx: SchemaContext,
  request: ChangeRequest,
  { queued, objects }: Waiting,
): Promise<AsyncTaskResource> {
  if (queued.length >= queuedMax) throw inProgress()
  const taskId = ctx.newId()
  await insertQueued(ctx.tx, ctx.workspace.workspaceId, {
    task_id: taskId,
    place: (queued.at(-1)?.place ?? 0) + 1,
    objects,
    request,
    created_at: ctx.now,
  })
  return enqueueChange(ctx, { taskId, entity: request.object, silent: isSilent(ctx), step: 'wait' })
}
