import type { EnrolmentResult, RemovalResult } from '@kontor/contract'
import { actorId, chainOf } from '../../../kernel/actor.ts'
import { isId } from '../../../kernel/ids.ts'
import type { WriteContext } from '../../../kernel/implement.ts'
import { findObject, listVisibleIds } from '../../objects/index.ts'
import { beginRuns, endRun, isEnded, lockRun } from '../../runs/index.ts'
import { listRecipientsAmong } from '../enrolments/store.ts'
import { requireCharge } from '../../definitions/index.ts'
import { requireCampaign } from '../store.ts'
import { campaignKinds } from '../kind.ts'
import { draftOf, findCandidates, type WriteRefusal } from './candidates.ts'

type Refusal = WriteRefusal | 'not_found' | 'duplicate_address'

const details: Readonly<Record<Refusal, string>> = {
  not_found: 'There is no person with this id.',
  no_email: 'The person has no e-mail address.',
  invalid_email: 'The person has no valid e-mail address.',
  suppressed: 'The person, or every one of their e-mail addresses, is suppressed.',
  duplicate_address: 'Another person of the campaign already uses this e-mail address.',
}

/** Enrols people by a call, and answers for each. */
export async function enrolPeople(
  ctx: WriteContext<'campaign_state'>,
  campaignId: string,
  items: readonly string[],
): Promise<EnrolmentResult[]> {
  const workflow = await requireCampaign(ctx, campaignId)
  requireCharge(ctx, workflow.row)
  if (workflow.row.published_at === null)
    throw ctx.fail('campaign_state', { detail: 'This campaign is a draft: start it first.', meta: { state: 'draft' } })
  const { workspaceId } = ctx.workspace
  const ids = [...new Set(items.filter(isId))]
  const [candidates, known] = await Promise.all([
    findCandidates(ctx, ids),
    listRecipientsAmong(ctx.tx, workspaceId, campaignId, ids),
  ])
  const active = new Map(known.flatMap((row) => (row.delivery === 'active' ? [[row.person_id, row.run_id]] : [])))
  const wanted = [...candidates.values()].filter(({ id, choice }) => 'address' in choice && !active.has(id))
  const enrolling = { workflow, by: actorId(ctx.actor), now: ctx.now, listId: null, chain: chainOf(ctx.actor) }
  const runs = await beginRuns(
    ctx.tx,
    { workspaceId, now: ctx.clockNow, kinds: campaignKinds },
    wanted.map((candidate) => draftOf(enrolling, candidate)),
  )
  const begun = new Map(runs.map((run) => [run.record_id, run]))
  const resultOf = (id: string): EnrolmentResult => {
    const candidate = candidates.get(id)
    if (candidate === undefined) return refused(id, 'not_found')
    const goingOn = active.get(id)
    if (goingOn !== undefined) return { id, status: 'already_active', workflow_run_id: goingOn }
    if ('refusal' in candidate.choice) return refused(id, candidate.choice.refusal)
    const run = begun.get(id)
    if (run?.run_status === 'pending') return { id, status: 'enrolled', workflow_run_id: run.id }
    if (run?.suppressed_reason === 'duplicate_address') return refused(id, 'duplicate_address')
    if (run?.suppressed_reason === 'already_active') return { id, status: 'already_active', workflow_run_id: null }
    const detail = 'The limits of the campaign (`run_limits`) allow no other run of this person.'
    return { id, status: 'suppressed', workflow_run_id: null, detail }
  }
  return answerEach(items, resultOf, ({ status, ...rest }) =>
    status === 'enrolled' ? { ...rest, status: 'already_active' } : { ...rest, status },
  )
}

const refused = (id: string, status: Refusal): EnrolmentResult => ({
  id,
  status,
  workflow_run_id: null,
  detail: details[status],
})

/** Answers for each of some ids in their order; one that comes again is answered as if it were sent again. */
function answerEach<R>(ids: readonly string[], resultOf: (id: string) => R, again: (first: R) => R): R[] {
  const known = new Map<string, R>()
  return ids.map((id) => {
    const first = known.get(id)
    const result = first === undefined ? resultOf(id) : again(first)
    known.set(id, result)
    return result
  })
}

/** Ends the runs of people in a campaign, and answers for each. */
export async function unenrolPeople(
  ctx: WriteContext,
  campaignId: string,
  items: readonly string[],
): Promise<RemovalResult[]> {
  const workflow = await requireCampaign(ctx, campaignId)
  requireCharge(ctx, workflow.row)
  const { workspaceId } = ctx.workspace
  const ids = [...new Set(items.filter(isId))]
  const { object, principal } = await findObject(ctx, 'person', 'read')
  const [visible, known] = await Promise.all([
    listVisibleIds(ctx.tx, workspaceId, object.key, ids, principal),
    listRecipientsAmong(ctx.tx, workspaceId, campaignId, ids),
  ])
  const at = { workspaceId, now: ctx.clockNow, kinds: campaignKinds }
  const results = new Map<string, RemovalResult>()
  for (const { person_id: id, run_id } of known.filter((row) => visible.has(row.person_id))) {
    const run = await lockRun(ctx.tx, workspaceId, run_id)
    const isOver = run === undefined || isEnded(run)
    if (!isOver) await endRun(ctx.tx, at, run, { run_status: 'cancelled', current_block: null })
    results.set(id, { id, status: isOver ? 'not_active' : 'removed', workflow_run_id: run_id })
  }
  return answerEach(
    items,
    (id) => results.get(id) ?? missing(id),
    (first) => (first.status === 'removed' ? { ...first, status: 'not_active' } : first),
  )
}

const missing = (id: string): RemovalResult => ({
  id,
  status: 'not_found',
  workflow_run_id: null,
  detail: 'The person is not in this campaign.',
})
