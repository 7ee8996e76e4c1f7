import { deleteSome } from '../../../db/delete-some.ts'
import type { Tx } from '../../../db/tx.ts'
import type { WorkspaceNow } from '../../../kernel/clock.ts'
import { timeOfId } from '../../../kernel/ids.ts'
import { defined } from '../../../lib/guards.ts'
import { addToCounts } from '../../counters/index.ts'
import type { Dependent } from '../../records/index.ts'
import {
  isEnded,
  lockRun,
  moveRun,
  recipientsCounter,
  type Delivery,
  type RecipientRow,
  type RunRow,
} from '../../workflows/index.ts'
import { endEarly } from '../engagement/end-runs.ts'
import { findRecipient, lockRecipient, updateRecipient } from '../engagement/store.ts'
import { deleteRow, insertRow, listRowsOf, setHidden } from './store.ts'

async function count(
  tx: Tx,
  workspaceId: string,
  campaigns: readonly string[],
  by: 1 | -1,
  newId: () => string,
): Promise<void> {
  const changes = new Map<string, number>()
  for (const id of campaigns) changes.set(recipientsCounter(id), (changes.get(recipientsCounter(id)) ?? 0) + by)
  await addToCounts(tx, workspaceId, changes, newId)
}

/** The later of two times, either of which may be missing. */
const later = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.max(one, other)

/** What two people who are one have done with a campaign. */
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

/** How far a person is, one of whose runs is to be kept: nobody who has got something gets it again. */
const ranks: Readonly<Record<Delivery, number>> = { failed: 0, active: 1, completed: 2, unsubscribed: 3 }

const isFurther = (one: Place, other: Place): boolean =>
  ranks[one.row.delivery] === ranks[other.row.delivery]
    ? (one.run?.block_progress.step ?? 0) > (other.run?.block_progress.step ?? 0)
    : ranks[one.row.delivery] > ranks[other.row.delivery]

/** Gives a row, and its run where that goes on, to another person who has none. */
async function moveTo(tx: Tx, { workspace_id, person_id }: Key, { row, run }: Place): Promise<void> {
  if (run !== undefined && !isEnded(run)) await moveRun(tx, workspace_id, run, person_id)
  await deleteRow(tx, workspace_id, row)
  await insertRow(tx, workspace_id, { ...row, person_id, hidden: false })
}

/** Makes one row of two, with the run that is further on; the other run ends. */
async function unite(tx: Tx, at: WorkspaceNow, key: Key, from: Place): Promise<void> {
  const to = await lockPlace(tx, key)
  const [kept, lost] = isFurther(from, to) ? [from, to] : [to, from]
  await endEarly(tx, at, lost.row.run_id, { status: 'cancelled', reason: 'on:svc:merge:record' })
  const { workspace_id: workspaceId, person_id: personId } = key
  if (kept === from && from.run !== undefined && !isEnded(from.run)) await moveRun(tx, workspaceId, from.run, personId)
  await deleteRow(tx, workspaceId, from.row)
  const { created_at, hidden } = to.row
  const whole = { ...kept.row, person_id: personId, created_at, hidden, ...engagedMost(from.row, to.row) }
  await updateRecipient(tx, key, whole)
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
    await count(tx, workspaceId, await setHidden(tx, workspaceId, personIds, true), -1, newId)
  },

  async show(tx, workspaceId, personIds, newId) {
    await count(tx, workspaceId, await setHidden(tx, workspaceId, personIds, false), 1, newId)
  },

  async move(ctx, fromIds, toId) {
    const { tx } = ctx
    const { workspaceId } = ctx.workspace
    const at = { workspaceId, now: ctx.clockNow }
    const kept = new Set((await listRowsOf(tx, workspaceId, [toId])).map(({ workflow_id }) => workflow_id))
    for (const { workflow_id, person_id } of await listRowsOf(tx, workspaceId, fromIds)) {
      const key = { workspace_id: workspaceId, workflow_id, person_id: toId }
      const from = await lockPlace(tx, { ...key, person_id })
      const isNew = !kept.has(workflow_id)
      if (isNew) await moveTo(tx, key, from)
      else await unite(tx, at, key, from)
      kept.add(workflow_id)
      const shown = (from.row.hidden ? 0 : -1) + (isNew ? 1 : 0)
      if (shown !== 0) await count(tx, workspaceId, [workflow_id], shown > 0 ? 1 : -1, ctx.newId)
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
