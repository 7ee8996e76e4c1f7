import type { RecipientEvent } from '@kontor/contract'
import type { Tx } from '../../../db/tx.ts'
import type { EngagementKind, EngagementListener } from '../../emails/index.ts'
import { findWorkflow } from '../../definitions/index.ts'
import { updateRecipient, type RecipientRow } from '../enrolments/store.ts'
import { findCampaign } from '../store.ts'
import { addToTotals } from '../totals/totals.ts'
import { engagementBits } from './bits.ts'
import { endEarly, type Ending } from './end-runs.ts'
import { exitsBy } from './exits.ts'
import { findRecipient, listActiveOfPerson, lockRecipient } from './store.ts'

const unsubscribed = 'on:email:unsubscribe'
const bounced = 'on:email:bounce'

/** The columns in which an event is noted for a person: its time, and their engagement. */
const noted: Readonly<
  Partial<Record<EngagementKind, { readonly event?: RecipientEvent; readonly column: keyof RecipientRow }>>
> = {
  send: { column: 'last_sent_at' },
  open: { event: 'opened', column: 'last_opened_at' },
  click: { event: 'clicked', column: 'last_clicked_at' },
  reply: { event: 'replied', column: 'last_replied_at' },
}

type Key = { readonly workspace_id: string; readonly workflow_id: string; readonly person_id: string }

/**
 * Notes what a person has done with a letter of a campaign, and ends what it ends: a bounce for good the run that wrote
 * it, a reply the person's run of that campaign, an unsubscription every campaign that the person is in.
 */
export const followEngagement: EngagementListener = async (tx, workspaceId, engagement) => {
  const { kind, bounce, runId, workflowId, personId, at } = engagement
  if (personId === null) return
  if (kind === 'unsubscribe') await endAll(tx, workspaceId, personId, at)
  if (workflowId === null) return
  const key = { workspace_id: workspaceId, workflow_id: workflowId, person_id: personId }
  if (kind === 'send') {
    if (await note(tx, key, kind, at)) await addToTotals(tx, workspaceId, { workflowId, kind, at })
    return
  }
  const recipient = await findRecipient(tx, key)
  if (recipient === undefined) return
  // The address of a run that was begun since may be another one.
  const isOfAnother = kind === 'bounce' && recipient.run_id !== runId
  const ending = bounce === 'soft' || isOfAnother ? undefined : await endingOf(tx, key, kind)
  if (ending !== undefined && recipient.delivery === 'active')
    await endEarly(tx, { workspaceId, now: at }, recipient.run_id, ending)
  await note(tx, key, kind, at)
  if (kind === 'bounce' && bounce !== 'soft') await failAfterEnd(tx, key, { runId, at })
  await addToTotals(tx, workspaceId, { workflowId, kind, at })
}

/** A person who unsubscribes gets nothing more from any campaign. */
async function endAll(tx: Tx, workspaceId: string, personId: string, now: number): Promise<void> {
  for (const { workflow_id, person_id, run_id } of await listActiveOfPerson(tx, workspaceId, personId)) {
    await endEarly(tx, { workspaceId, now }, run_id, { status: 'cancelled', reason: unsubscribed })
    await note(tx, { workspace_id: workspaceId, workflow_id, person_id }, 'unsubscribe', now)
  }
}

/** Returns the end of the run that wrote the letter; an exit of the campaign's own goes before. */
async function endingOf(
  tx: Tx,
  { workspace_id: workspaceId, workflow_id: workflowId }: Key,
  kind: EngagementKind,
): Promise<Ending | undefined> {
  if (kind !== 'reply' && kind !== 'bounce') return undefined
  const reason = `on:email:${kind}`
  const [workflow, campaign] = await Promise.all([
    findWorkflow(tx, workspaceId, workflowId),
    findCampaign(tx, workspaceId, workflowId),
  ])
  const hasOwn = workflow !== undefined && exitsBy(workflow, reason)
  if (hasOwn || (kind === 'reply' && !campaign.ends_on_reply)) return undefined
  return { status: kind === 'reply' ? 'success' : 'failed', reason }
}

/** Notes an event in the row of a person; false if they are in no such campaign. Each letter costs this. */
async function note(tx: Tx, key: Key, kind: EngagementKind, at: number): Promise<boolean> {
  const row = await lockRecipient(tx, key)
  if (row === undefined) return false
  const place = { workspaceId: key.workspace_id, now: at }
  const updated_at = Math.max(row.updated_at, at)
  if (kind === 'unsubscribe')
    await updateRecipient(tx, place, row, { has_unsubscribed: true, delivery: 'unsubscribed', updated_at })
  const { event, column } = noted[kind] ?? {}
  if (column === undefined) return true
  await updateRecipient(tx, place, row, {
    ...(event !== undefined && { engagement: row.engagement | engagementBits[event] }),
    [column]: Math.max(at, Number(row[column] ?? 0)),
    updated_at,
  })
  return true
}

/**
 * A letter that came back for good after the last step has reached no one: the list shows the person as it would have a
 * moment before the end, and the run stays what it was. Who left by an exit, a reply for one, keeps that.
 */
async function failAfterEnd(
  tx: Tx,
  key: Key,
  { runId, at }: { readonly runId: string | null; readonly at: number },
): Promise<void> {
  const row = await lockRecipient(tx, key)
  if (row === undefined || row.run_id !== runId || row.exit_plugin !== null) return
  if (row.delivery !== 'completed' && row.delivery !== 'failed') return
  await updateRecipient(tx, { workspaceId: key.workspace_id, now: at }, row, {
    run_status: 'failed',
    delivery: 'failed',
    exit_plugin: bounced,
    updated_at: Math.max(row.updated_at, at),
  })
}
