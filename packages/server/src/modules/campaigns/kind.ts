import type { Tx } from '../../db/tx.ts'
import type { WorkspaceNow } from '../../kernel/clock.ts'
import type { WriteContext } from '../../kernel/implement.ts'
import { findWorkflow } from '../definitions/index.ts'
import { engagementCounters, Enrolments, type Enrollee } from './enrolments/enrolments.ts'
import { followRun, keepPeople, lockRecipients, removeRecipients, type RecipientRow } from './enrolments/store.ts'
import { recipientsCounter } from './enrolments/totals.ts'
import type { Beginning, RunDependent, RunDraft, RunRow, WorkflowKind } from '../runs/index.ts'
import { exitsBy } from './engagement/exits.ts'
import { findAddressees } from './enrol/candidates.ts'
import { enqueueReawakening } from './enrol/reawaken.ts'
import { removePaces, removePlaces } from './pacing/store.ts'
import { deleteCampaign, findCampaign } from './store.ts'

/** Returns whom a draft enrols: a person, unless it is a test run. */
const enrolleeOf = ({
  workflow: { row },
  object,
  recordId,
  isDryRun,
  address,
  isFirst,
}: RunDraft): Enrollee | undefined =>
  object === 'person' && recordId !== null && isDryRun !== true
    ? { workflowId: row.id, personId: recordId, address, isFirst }
    : undefined

/** Enrols people as their runs begin: one run at a time goes on for each (docs/decisions/0175). */
async function begin(tx: Tx, at: WorkspaceNow, drafts: readonly RunDraft[]) {
  const enrollees = drafts.flatMap((draft) => enrolleeOf(draft) ?? [])
  const ids = enrollees.map(({ personId }) => personId)
  // A person who is deleted meanwhile waits for this, or is found deleted: no row of theirs is left behind.
  const live = await keepPeople(tx, at.workspaceId, ids)
  const enrolments = await Enrolments.of(
    tx,
    at,
    enrollees.filter(({ personId }) => live.has(personId)),
  )
  return {
    standing(draft: RunDraft) {
      const enrollee = enrolleeOf(draft)
      return enrollee && (live.has(enrollee.personId) ? ('enrols' as const) : ('gone' as const))
    },
    why(draft: RunDraft) {
      const enrollee = enrolleeOf(draft)
      return enrollee && enrolments.why(enrollee)
    },
    store: (begun: Parameters<Beginning['store']>[0]) =>
      enrolments.store(begun.map(({ run, draft: { address = null } }) => ({ ...run, address }))),
  }
}

/** Refuses another attempt of a run that is not the latest of its person, or if they unsubscribed (0175) or replied. */
const requireRetriable: WorkflowKind['requireRetriable'] = async (ctx: WriteContext<'run_state'>, run) => {
  const { id, is_enrolment, workflow_id, record_id, run_status: status } = run
  if (!is_enrolment) return
  const [row] = await lockRecipients(ctx.tx, ctx.workspace.workspaceId, workflow_id, [record_id ?? ''])
  const isLatest = row?.run_id === id && row.delivery !== 'unsubscribed'
  if (isLatest && !(await isEndedByReply(ctx, run, row))) return
  const detail = isLatest
    ? 'The person has replied since the run began, which ends this campaign for them: enrol them again to start over.'
    : 'The person is in this campaign with another run, or was removed: enrol them again.'
  throw ctx.fail('run_state', { detail, meta: { status } })
}

/**
 * Returns whether a reply that came when the run had failed would have ended it: nothing more is to be sent then. A run
 * whose first step was lost with its server has written, and never started.
 */
async function isEndedByReply(
  { tx, workspace: { workspaceId } }: WriteContext<'run_state'>,
  { workflow_id: workflowId, created_at: begunAt }: RunRow,
  { last_replied_at: repliedAt }: RecipientRow,
): Promise<boolean> {
  if (repliedAt === null || repliedAt < begunAt) return false
  const [workflow, campaign] = await Promise.all([
    findWorkflow(tx, workspaceId, workflowId),
    findCampaign(tx, workspaceId, workflowId),
  ])
  return workflow !== undefined && (campaign.ends_on_reply || exitsBy(workflow, 'on:email:reply'))
}

/** The recipients of campaigns, and what their letters are paced by. */
const dependent: RunDependent = {
  async changed(tx, at, run, changes) {
    if (run.is_enrolment) await followRun(tx, at, run, changes)
  },
  removed: removePlaces,
  removeSome: removeRecipients,
  async removeLast(tx, workspaceId, workflowId) {
    await Promise.all([
      deleteCampaign(tx, workspaceId, workflowId),
      removePaces(tx, { workspace_id: workspaceId, workflow_id: workflowId }),
    ])
    return [engagementCounters(workflowId), recipientsCounter(workflowId)]
  },
}

/** Campaigns: workflows whose runs each write to a person, one of them at a time. */
export const sequenceKind: WorkflowKind = {
  type: 'sequence',
  madeAs: 'campaigns',
  prepare: findAddressees,
  begin,
  barOf: ({ run, isEnabled }) => (run.is_enrolment && !isEnabled ? 'rests' : undefined),
  requireRetriable,
  enabled: (tx, { workspaceId, now }, workflowId) => enqueueReawakening(tx, workspaceId, workflowId, now),
  dependent,
}

/** The kinds of the workflows that this module changes. */
export const campaignKinds = [sequenceKind]
