import { z } from 'zod'
import { gatherStatistics } from '../../../db/statistics.ts'
import type { ReadTx } from '../../../db/tx.ts'
import { enqueue } from '../../../engine/store.ts'
import type { JobContext, JobKind, JobOutcome, JobType } from '../../../engine/types.ts'
import { actorId } from '../../../kernel/actor.ts'
import type { WriteContext } from '../../../kernel/implement.ts'
import { findTask, insertTask, lockTask, updateTask, type TaskRow } from '../../async-tasks/index.ts'
import { countEntries, findVisibleList, listEntriesAfter } from '../../lists/index.ts'
import { findObject } from '../../objects/index.ts'
import {
  beginRuns,
  findWorkflow,
  listHolders,
  listRecipientsAmong,
  OwnersView,
  type WorkflowServices,
  type Workflow,
} from '../../workflows/index.ts'
import { listOf } from '../present.ts'
import type { Campaign } from '../service.ts'
import { putCampaign } from '../store.ts'
import { draftOf, findCandidates, type Addressee } from './candidates.ts'

const payload = z.object({
  workflow_id: z.string(),
  task_id: z.string(),
  after: z.string().nullable(),
  /** Of rows that are all new the planner knows nothing, and would look each of the addresses up among all of them. */
  is_second: z.boolean().default(false),
})

type Payload = z.infer<typeof payload>

const enrolment: JobType<Payload> = { name: 'campaigns.enrol', payload }

/** People enrolled in one transaction. */
const batchMax = 250

/**
 * What each person who is still to be enrolled puts off the runs of those before: they begin when all are enrolled.
 * Runs that begin meanwhile would take most of the time, and the list of recipients would fill slowly. It is as long as
 * a person has taken so far, with some room; where a server was away meanwhile, that says nothing.
 */
const aheadMs = { least: 1, most: 10, room: 3 } as const

const aheadOf = ({ progress, started_at }: TaskRow, now: number): number => {
  const each = progress === 0 ? 0 : (aheadMs.room * (now - (started_at ?? now))) / progress
  return Math.min(aheadMs.most, Math.max(aheadMs.least, each))
}

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
    payload: { workflow_id: workflow.row.id, task_id: task.id, after: null, is_second: false },
    now: ctx.clockNow,
  })
  const begun = { ...campaign, enrolment_task_id: task.id }
  await putCampaign(ctx.tx, workspaceId, begun)
  return { workflow, campaign: begun }
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
  async run(context, given) {
    const { database, workspaceId } = context
    const workflow = await findWorkflow(database.reader, workspaceId, given.workflow_id)
    const members = workflow && (await membersOf(context, services, workflow, given.after))
    if (workflow === undefined || members === undefined) return fail(context, given)
    const isLast = members.ids.length < batchMax
    if (given.is_second || (isLast && given.after !== null))
      await gatherStatistics(database, 'campaign_recipient', workspaceId)
    return context.conclude(async (tx): Promise<Outcome> => {
      const task = await lockTask(tx, workspaceId, given.task_id)
      if (!isOpen(task)) return { state: 'done' }
      const now = context.clock.now()
      const progress = task.progress + members.ids.length
      const notBefore = now + Math.ceil(Math.max(0, (task.total ?? members.total) - progress) * aheadOf(task, now))
      await beginRuns(
        tx,
        workspaceId,
        members.drafts.map((draft) => ({ ...draft, notBefore })),
        now,
      )
      const startedAt = task.started_at ?? now
      await updateTask(tx, workspaceId, task.id, now, {
        progress,
        started_at: startedAt,
        total: isLast ? progress : Math.max(progress, task.total ?? members.total),
        ...(isLast && { completed_at: now }),
      })
      // It keeps its place: thousands of runs that have come due meanwhile would go before each batch.
      return isLast
        ? { state: 'done' }
        : {
            state: 'again',
            inMs: startedAt - now,
            payload: { ...given, after: members.ids.at(-1) ?? null, is_second: given.after === null },
          }
    })
  },
})

/** The next members of the list of a campaign, as its owner sees them; undefined where it can enrol no one any more. */
async function membersOf(
  { database, workspaceId, clock }: JobContext,
  services: WorkflowServices,
  workflow: Workflow,
  after: string | null,
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
  // Who was skipped may be written to by now.
  const candidates = await findCandidates(
    ctx,
    ids.filter((id) => (before.get(id) ?? 'suppressed') === 'suppressed'),
  )
  const taken = await addressesTaken(
    database.reader,
    { workspaceId, workflowId: workflow.row.id },
    [...candidates.values()].filter(({ id }) => before.has(id)),
  )
  // Who cannot be enrolled is said once, with their first run.
  const enrolled = [...candidates.values()].filter(
    ({ id, choice }) => !before.has(id) || ('address' in choice && !taken.has(choice.address)),
  )
  const enrolling = { workflow, by: workflow.row.actor.id, now, listId }
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

const fail = ({ conclude, workspaceId, clock }: JobContext, { task_id }: Payload): Promise<Outcome> =>
  conclude(async (tx): Promise<Outcome> => {
    const task = await lockTask(tx, workspaceId, task_id)
    const now = clock.now()
    if (isOpen(task)) await updateTask(tx, workspaceId, task_id, now, { failed_at: now, error_code: 'data_conflict' })
    return { state: 'done' }
  })
