import { deleteSome } from '../../../db/delete-some.ts'
import type { Tx } from '../../../db/tx.ts'
import type { WorkspaceNow } from '../../../kernel/clock.ts'
import { timeOfId } from '../../../kernel/ids.ts'
import { defined } from '../../../lib/guards.ts'
import type { Dependent } from '../../records/index.ts'
import { countChanges } from '../enrolments/totals.ts'
import { updateRecipient, type RecipientRow } from '../enrolments/store.ts'
import type { Delivery } from '../enrolments/delivery.ts'
import { isEnded, lockRun, moveRun, type RunRow } from '../../runs/index.ts'
import { campaignKinds } from '../kind.ts'
import { endEarly } from '../engagement/end-runs.ts'
import { findRecipient, lockRecipient } from '../engagement/store.ts'
import { deleteRow, insertRow, listRowsOf, setHidden } from './store.ts'

/** Hides the rows of people or shows them again. */
async function setShown(tx: Tx, at: WorkspaceNow, personIds: readonly string[], isShown: boolean): Promise<void> {
  const rows = await setHidden(tx, at.workspaceId, personIds, !isShown)
  await countChanges(
    tx,
    at,
    rows.map((after) => ({ before: { ...after, hidden: isShown }, after })),
  )
}

/** The later of two times, either of which may be missing. */
const later = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.max(one, other)

/** Unites the engagement of two people who are one. */
const engagedMost = (one: RecipientRow, other: RecipientRow): Partial<RecipientRow> => ({
  engagement: one.engagement | other.engagement,
  last_sent_at: later(one.last_sent_at, other.last_sent_at),
  last_opened_at: later(one.last_opened_at, other.last_opened_at),
  last_clicked_at: later(one.last_clicked_at, other.last_clicked_at),
  last_replied_at: later(one.last_replied_at, other.last_replied_at),
})

/** A person in a campaign, with their run unless it is kept no more; both are locked. */
type Place = { readonly row: RecipientRow; readonly run: RunRow | undefined }

type Key = Parameters<typeof lockRecipient>[1]

/** A run is locked before the row of its person, and a step that was stored meanwhile has changed that. */
async function lockPlace(tx: Tx, key: Key): Promise<Place> {
  const { run_id } = defined(await findRecipient(tx, key))
  const run = await lockRun(tx, key.workspace_id, run_id)
  return { run, row: defined(await lockRecipient(tx, key)) }
}

/** The order of progress in which one of two runs is kept: nobody gets a letter again. */
const ranks: Readonly<Record<Delivery, number>> = { failed: 0, active: 1, completed: 2, unsubscribed: 3 }

const isFurther = (one: Place, other: Place): boolean =>
  ranks[one.row.delivery] === ranks[other.row.delivery]
    ? (one.run?.block_progress.step ?? 0) > (other.run?.block_progress.step ?? 0)
    : ranks[one.row.delivery] > ranks[other.row.delivery]

/** Gives a row, and its run where that goes on, to another person who has none. */
async function moveTo(tx: Tx, at: WorkspaceNow, { person_id }: Key, { row, run }: Place): Promise<void> {
  const after = { ...row, person_id, hidden: false }
  if (run !== undefined && !isEnded(run)) await moveRun(tx, { ...at, kinds: campaignKinds }, run, person_id)
  await deleteRow(tx, at.workspaceId, row)
  await insertRow(tx, at.workspaceId, after)
  await countChanges(tx, at, [{ before: row, after }])
}

/** Makes one row of two, with the run that is further on; the other run ends. */
async function unite(tx: Tx, at: WorkspaceNow, key: Key, from: Place): Promise<void> {
  const to = await lockPlace(tx, key)
  const [kept, lost] = isFurther(from, to) ? [from, to] : [to, from]
  await endEarly(tx, at, lost.row.run_id, { status: 'cancelled', reason: 'on:svc:merge:record' })
  if (kept === from && from.run !== undefined && !isEnded(from.run))
    await moveRun(tx, { ...at, kinds: campaignKinds }, from.run, key.person_id)
  // With the run of one has ended its row.
  const [source, target] = [
    defined(await lockRecipient(tx, { ...key, person_id: from.row.person_id })),
    defined(await lockRecipient(tx, key)),
  ]
  await deleteRow(tx, at.workspaceId, source)
  await countChanges(tx, at, [{ before: source }])
  const { person_id, created_at, hidden } = target
  const whole = { ...kept.row, person_id, created_at, hidden, ...engagedMost(source, target) }
  await updateRecipient(tx, at, target, whole)
}

/**
 * The campaigns of people as dependents: a deleted person is taken out of all of them, and is not in their lists
 * until restored; a merged one goes on in their place, and where both were with the run that is further on.
 */
export const campaignsOfPeople: Dependent = {
  async hide(tx, workspaceId, personIds, newId) {
    const active = (await listRowsOf(tx, workspaceId, personIds)).filter(({ delivery }) => delivery === 'active')
    const at = { workspaceId, now: timeOfId(newId()) }
    for (const { run_id } of active)
      await endEarly(tx, at, run_id, { status: 'cancelled', reason: 'on:svc:delete:record' })
    await setShown(tx, at, personIds, false)
  },

  show: (tx, workspaceId, personIds, newId) => setShown(tx, { workspaceId, now: timeOfId(newId()) }, personIds, true),

  async move(ctx, fromIds, toId) {
    const { tx } = ctx
    const { workspaceId } = ctx.workspace
    const at = { workspaceId, now: ctx.clockNow }
    const kept = new Set((await listRowsOf(tx, workspaceId, [toId])).map(({ workflow_id }) => workflow_id))
    for (const { workflow_id, person_id } of await listRowsOf(tx, workspaceId, fromIds)) {
      const key = { workspace_id: workspaceId, workflow_id, person_id: toId }
      const from = await lockPlace(tx, { ...key, person_id })
      if (kept.has(workflow_id)) await unite(tx, at, key, from)
      else await moveTo(tx, at, key, from)
      kept.add(workflow_id)
    }
    return []
  },

  purge: (tx, workspaceId, personIds, rowsMax) =>
    deleteSome(tx, workspaceId, {
      table: 'campaign_recipient',
      key: ['workflow_id', 'person_id'],
      column: 'person_id',
      values: personIds,
      rowsMax,
    }),
}
