import type { TaskErrorCode } from '@kontor/contract'
import { z } from 'zod'
import { gatherStatistics } from '../../../db/statistics.ts'
import type { ReadTx, Tx } from '../../../db/tx.ts'
import { enqueue } from '../../../engine/store.ts'
import type { JobContext, JobKind, JobOutcome, JobType } from '../../../engine/types.ts'
import { actorId, chainOf, chainShape } from '../../../kernel/actor.ts'
import type { WriteContext } from '../../../kernel/implement.ts'
import { findTask, insertTask, lockTask, updateTask, type TaskRow } from '../../async-tasks/index.ts'
import { countEntries, findVisibleList, listEntriesAfter } from '../../lists/index.ts'
import { findObject } from '../../objects/index.ts'
import { beginRuns, OwnersView, type WorkflowServices } from '../../runs/index.ts'
import { findWorkflow, type Workflow } from '../../definitions/index.ts'
import { listHolders, listRecipientsAmong } from '../enrolments/store.ts'
import { listOf } from '../present.ts'
import type { Campaign } from '../service.ts'
import { putCampaign } from '../store.ts'
import { campaignKinds } from '../kind.ts'
import { enqueueReawakening } from './reawaken.ts'
import { draftOf, findCandidates, type Addressee } from './candidates.ts'

const payload = z.object({
  workflow_id: z.string(),
  task_id: z.string(),
  after: z.string().nullable(),
  /** Of rows that are all new the planner knows nothing, and would look each of the addresses up among all of them. */
  is_second: z.boolean().default(false),
  chain: chainShape.optional(),
})

type Payload = z.infer<typeof payload>

const enrolment: JobType<Payload> = { name: 'campaigns.enrol', payload }

/** People enrolled in one transaction. */
const batchMax = 250

/**
 * Runs begin when all members are enrolled, or after this time: those that began meanwhile would take most of the time
 * that the enrolment has, and its list of recipients would fill slowly.
 */
const heldMs = 3_600_000

const isOpen = (task: TaskRow | undefined): task is TaskRow =>
  task !== undefined && task.completed_at === null && task.failed_at === null

/** Lets a job enrol the members of the list of a campaign, unless one does. */
export async function enrolList(ctx: WriteContext, { workflow, campaign }: Campaign): Promise<Campaign> {
  if (listOf(workflow) === null) return { workflow, campaign }
  const { workspaceId } = ctx.workspace
  const { enrolment_task_id: before } = campaign
  if (before !== null && isOpen(await findTask(ctx.tx, workspaceId, before))) return { workflow, campaign }
  const task = await insertTask(ctx.tx, workspaceId, {
    id: ctx.newId(),
    user_id: actorId(ctx.actor),
    type: 'campaign_enrolment',
    metadata: { entity: 'person' },
    now: ctx.clockNow,
  })
  await enqueue(ctx.tx, {
    workspaceId,
    kind: enrolment,
    payload: {
      workflow_id: workflow.row.id,
      task_id: task.id,
      after: null,
      is_second: false,
      chain: chainOf(ctx.actor),
    },
    now: ctx.clockNow,
  })
  const begun = { ...campaign, enrolment_task_id: task.id }
  await putCampaign(ctx.tx, workspaceId, begun)
  return { workflow, campaign: begun }
}

/** Goes on with an enrolment that has failed, since its owner had left: nobody who was to be enrolled is left out. */
export async function resumeEnrolment(ctx: WriteContext, found: Campaign): Promise<Campaign> {
  const { enrolment_task_id: id } = found.campaign
  const task = id === null ? undefined : await findTask(ctx.tx, ctx.workspace.workspaceId, id)
  const hasFailed = task !== undefined && task.failed_at !== null && task.error_code !== 'cancelled'
  return hasFailed ? enrolList(ctx, found) : found
}

/** Stops an enrolment: who has been enrolled stays so. */
export async function cancelEnrolment(ctx: WriteContext, { id }: TaskRow): Promise<boolean> {
  const { workspaceId } = ctx.workspace
  const task = await lockTask(ctx.tx, workspaceId, id)
  if (!isOpen(task)) return false
  const now = ctx.clockNow
  await updateTask(ctx.tx, workspaceId, id, now, { failed_at: now, error_code: 'cancelled' })
  return true
}

type Outcome = JobOutcome<Payload>

/** Enrols the members of a list, batch by batch, but for people who have been in the campaign before. */
export const enrolJob = (services: WorkflowServices): JobKind<Payload> => ({
  ...enrolment,
  onFailed: (tx, { workspaceId, payload: given, now }) => giveUp(tx, workspaceId, given, { now, code: 'internal' }),
  async run(context, given) {
    const { database, workspaceId, clock } = context
    const workflow = await findWorkflow(database.reader, workspaceId, given.workflow_id)
    const members = workflow && (await membersOf(context, services, workflow, given))
    if (workflow === undefined || members === undefined)
      return context.conclude(async (tx): Promise<Outcome> => {
        await giveUp(tx, workspaceId, given, { now: clock.now(), code: 'data_conflict' })
        return { state: 'done' }
      })
    const isLast = members.ids.length < batchMax
    if (given.is_second || (isLast && given.after !== null))
      await gatherStatistics(database, 'campaign_recipient', workspaceId)
    return context.conclude(async (tx): Promise<Outcome> => {
      const task = await lockTask(tx, workspaceId, given.task_id)
      const now = clock.now()
      if (!isOpen(task)) {
        await enqueueReawakening(tx, workspaceId, given.workflow_id, now)
        return { state: 'done' }
      }
      const progress = task.progress + members.ids.length
      await beginRuns(
        tx,
        { workspaceId, now, kinds: campaignKinds },
        members.drafts.map((draft) => (isLast ? draft : { ...draft, heldUntil: now + heldMs })),
      )
      const startedAt = task.started_at ?? now
      await updateTask(tx, workspaceId, task.id, now, {
        progress,
        started_at: startedAt,
        total: isLast ? progress : Math.max(progress, task.total ?? members.total),
        ...(isLast && { completed_at: now }),
      })
      if (isLast) {
        if (given.after !== null) await enqueueReawakening(tx, workspaceId, given.workflow_id, now)
        return { state: 'done' }
      }
      // It keeps its place: what has come due meanwhile would go before each batch.
      const next = { ...given, after: members.ids.at(-1) ?? null, is_second: given.after === null }
      return { state: 'again', inMs: startedAt - now, payload: next }
    })
  },
})

/** The next members of the list of a campaign, as its owner sees them; undefined where it can enrol no one any more. */
async function membersOf(
  { database, workspaceId, clock }: JobContext,
  services: WorkflowServices,
  workflow: Workflow,
  { after, chain }: Payload,
) {
  const now = clock.now()
  const ctx = await new OwnersView(services, database.reader, { workspaceId, now }, []).contextOf(workflow)
  const listId = listOf(workflow)
  if ('stopped' in ctx || listId === null) return undefined
  const { object, principal } = await findObject(ctx, 'person', 'read')
  if ((await findVisibleList(ctx, object.key, listId)) === undefined) return undefined
  const ids = await listEntriesAfter(database.reader, workspaceId, listId, after, batchMax)
  const known = await listRecipientsAmong(database.reader, workspaceId, workflow.row.id, ids)
  const before = new Map(known.map(({ person_id, run_status }) => [person_id, run_status]))
  // A skipped person may have a valid address by now.
  const candidates = await findCandidates(
    ctx,
    ids.filter((id) => (before.get(id) ?? 'suppressed') === 'suppressed'),
  )
  const taken = await addressesTaken(
    database.reader,
    { workspaceId, workflowId: workflow.row.id },
    [...candidates.values()].filter(({ id }) => before.has(id)),
  )
  // A person who cannot be enrolled is reported once, with their first run.
  const enrolled = [...candidates.values()].filter(
    ({ id, choice }) => !before.has(id) || ('address' in choice && !taken.has(choice.address)),
  )
  const enrolling = { workflow, by: workflow.row.actor.id, now, listId, chain }
  const total = after === null ? await countEntries(database.reader, workspaceId, listId, principal) : 0
  return { ids, total, drafts: enrolled.map((candidate) => draftOf(enrolling, candidate)) }
}

/** Addresses of some people at which others are written to. */
async function addressesTaken(
  tx: ReadTx,
  { workspaceId, workflowId }: { readonly workspaceId: string; readonly workflowId: string },
  people: readonly Addressee[],
): Promise<ReadonlySet<string>> {
  const addresses = people.flatMap(({ choice }) => ('address' in choice ? [choice.address] : []))
  const holders = addresses.length === 0 ? [] : await listHolders(tx, workspaceId, workflowId, addresses)
  return new Set(holders.map(({ address }) => address))
}

/** Ends an enrolment that cannot go on: who has been enrolled stays so, and begins. */
async function giveUp(
  tx: Tx,
  workspaceId: string,
  { workflow_id, task_id }: Payload,
  { now, code }: { readonly now: number; readonly code: TaskErrorCode },
): Promise<void> {
  const task = await lockTask(tx, workspaceId, task_id)
  if (isOpen(task)) await updateTask(tx, workspaceId, task_id, now, { failed_at: now, error_code: code })
  await enqueueReawakening(tx, workspaceId, workflow_id, now)
}
