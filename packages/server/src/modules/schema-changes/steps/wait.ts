import type { TaskError } from '@kontor/contract'
import { Failure } from '../../../kernel/errors.ts'
import { invariant } from '../../../lib/guards.ts'
import { lockSchemas } from '../../schemas/index.ts'
import { deleteQueued, isReserved, listQueued, type Queued } from '../queue/store.ts'
import { planRequest } from '../change/request.ts'
import { insertTargets } from '../store.ts'
import { again, type StepOutcome, type StepContext } from './state.ts'
import { withdraw } from './withdraw.ts'

/** The change that frees its objects wakes it; this interval is for a node of an older version, which wakes nobody. */
const lookMs = 1000

/**
 * Waits until every change accepted before has ended on its objects, plans the change for their new versions, and
 * begins.
 */
export async function wait(context: StepContext): Promise<StepOutcome> {
  const { job, payload } = context
  const queued = await listQueued(job.database.reader, job.workspaceId)
  const own = queued.find(({ task_id: id }) => id === payload.taskId)
  if (own !== undefined && (await isReserved(job.database.reader, job.workspaceId, own.objects, aheadOf(own, queued))))
    return again(payload, lookMs)
  return job.conclude<StepOutcome>((tx) => takeTurn(context, tx))
}

const aheadOf = ({ place }: Queued, queued: readonly Queued[]): Queued[] => queued.filter((one) => one.place < place)

async function takeTurn(
  context: StepContext,
  tx: Parameters<Parameters<StepContext['job']['conclude']>[0]>[0],
): Promise<StepOutcome> {
  const {
    job: { workspaceId, clock },
    payload,
  } = context
  const { schemas } = await lockSchemas(tx, workspaceId)
  const queued = await listQueued(tx, workspaceId)
  const own = queued.find(({ task_id: id }) => id === payload.taskId)
  // It was cancelled.
  if (own === undefined) return { state: 'done' }
  const planned = planFor(schemas, own)
  if ('errors' in planned) {
    await withdraw(
      tx,
      { workspaceId, schemas, taskId: payload.taskId },
      { code: 'validation_failed', errors: planned.errors },
      clock.now(),
    )
    return { state: 'done' }
  }
  // It may touch other objects than when it was accepted.
  const names = [...own.objects, ...planned.targets.map(({ name }) => name)]
  if (await isReserved(tx, workspaceId, names, aheadOf(own, queued))) return again(payload, lookMs)
  await deleteQueued(tx, workspaceId, payload.taskId)
  invariant(
    await insertTargets(tx, workspaceId, payload.taskId, clock.now(), planned.targets),
    'a change whose turn it is reserves what is free',
  )
  return again({ ...payload, step: 'begin' }, 0)
}

type Schemas = Parameters<typeof planRequest>[0]

function planFor(
  schemas: Schemas,
  { request }: Queued,
): { readonly targets: ReturnType<typeof planRequest> } | { readonly errors: readonly TaskError[] } {
  try {
    return { targets: planRequest(schemas, request) }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const field = 'field' in request ? request.field : ''
    // Fields stand in `data.attributes` where they are added, in `properties` of a whole document.
    const depth = request.kind === 'replace' ? 2 : 3
    return {
      errors: error.faults.map(({ detail, source }) => ({
        field: source?.pointer?.split('/').slice(depth).join('.') ?? field,
        reason: detail ?? error.message,
        count: 0,
        sample_ids: [],
      })),
    }
  }
}
