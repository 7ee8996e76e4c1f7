import { deleteSome } from '../../../db/delete-some.ts'
import type { Tx } from '../../../db/tx.ts'
import { timeOfId } from '../../../kernel/ids.ts'
import { defined } from '../../../lib/guards.ts'
import { addToCounts } from '../../counters/index.ts'
import type { Dependent } from '../../records/index.ts'
import { isEnded, lockRun, recipientsCounter, updateRun, type RecipientRow } from '../../workflows/index.ts'
import { endEarly } from '../engagement/end-runs.ts'
import { lockRecipient, updateRecipient } from '../engagement/store.ts'
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
  last_opened_at: later(one.last_opened_at, other.last_opened_at),
  last_clicked_at: later(one.last_clicked_at, other.last_clicked_at),
  last_replied_at: later(one.last_replied_at, other.last_replied_at),
})

/**
 * The campaigns of people as dependents: a deleted person is taken out of all of them, and is not in their lists
 * until restored; a merged one goes on where only one of the two was.
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
    const { tx, clockNow: now } = ctx
    const { workspaceId } = ctx.workspace
    const kept = new Map((await listRowsOf(tx, workspaceId, [toId])).map((row) => [row.workflow_id, row]))
    for (const { workflow_id, person_id, run_id } of await listRowsOf(tx, workspaceId, fromIds)) {
      const run = await lockRun(tx, workspaceId, run_id)
      // A step that was stored meanwhile has changed it.
      const row = defined(await lockRecipient(tx, { workspace_id: workspaceId, workflow_id, person_id }))
      const other = kept.get(workflow_id)
      if (other !== undefined) {
        await endEarly(tx, { workspaceId, now }, run_id, { status: 'cancelled', reason: 'on:svc:merge:record' })
        const key = { workspace_id: workspaceId, workflow_id, person_id: toId }
        const merged = engagedMost(row, other)
        await updateRecipient(tx, key, merged)
        kept.set(workflow_id, { ...other, ...merged })
      } else {
        if (run !== undefined && !isEnded(run)) await updateRun(tx, workspaceId, run, { record_id: toId })
        const moved = { ...row, person_id: toId, hidden: false }
        await insertRow(tx, workspaceId, moved)
        kept.set(workflow_id, moved)
      }
      await deleteRow(tx, workspaceId, row)
      const shown = (row.hidden ? 0 : -1) + (other === undefined ? 1 : 0)
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
