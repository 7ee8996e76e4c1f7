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
import { applyNow, enqueueChange, inProgress, startChange, type Services, isSilent } from './begin.ts'
import { planRequest, type ChangeRequest } from '../change/request.ts'
import { listRunning } from '../store.ts'
import { insertQueued, listQueued, type Queued } from './store.ts'

/** Changes that may wait in a workspace; each is planned anew for every change accepted after it. */
const queuedMax = 50

/** Adds something to an object at once, or when its turn comes. */
export async function add(services: Services, ctx: SchemaContext, request: ChangeRequest): Promise<void> {
  const turn = await turnOf(ctx, request)
  if ('targets' in turn) await applyNow(services, ctx, turn.targets)
  else await enqueueBehind(ctx, request, turn)
}

/** Makes a change by a task, which begins at once or when its turn comes. */
export async function begin(ctx: SchemaContext, request: ChangeRequest): Promise<AsyncTaskResource> {
  const turn = await turnOf(ctx, request)
  return 'targets' in turn
    ? startChange(ctx, request.object, turn.targets, isSilent(ctx))
    : enqueueBehind(ctx, request, turn)
}

type Waiting = { readonly queued: readonly Queued[]; readonly objects: readonly string[] }

/**
 * The targets of a change now, or the objects that it must wait for. In that case it is checked against the versions
 * that all accepted changes will lead to; 409 if the object itself will have been deleted by then.
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

/** The schemas once all queued changes are in force. */
const expectedAfter = (schemas: WorkspaceSchemas, queued: readonly Queued[]): WorkspaceSchemas =>
  queued.reduce((before, { request }) => {
    try {
      return withOutcomes(before, planRequest(before, request))
    } catch (error) {
      // It will fail, and change nothing.
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
