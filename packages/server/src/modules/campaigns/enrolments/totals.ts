import type { RecipientProgress } from '@kontor/contract'
import type { ReadTx, Tx } from '../../../db/tx.ts'
import type { WorkspaceNow } from '../../../kernel/clock.ts'
import { newId } from '../../../kernel/ids.ts'
import { addToCounts, listTotals } from '../../counters/index.ts'
import { progressOf, type Delivery, type Standing } from './delivery.ts'

/**
 * The name of the counter of the people of a sequence who are not deleted. Those at an end have another one besides,
 * whose name goes on with the end; all others are under way, so that an enrolment is counted once.
 */
export const recipientsCounter = (workflowId: string): string => `recipients/${workflowId}`

/** The outcomes of recipients. */
const ends = (['completed', 'failed', 'unsubscribed'] as const).flatMap((delivery) =>
  (['sent', 'failed', 'suppressed'] as const).map((progress) => ({ delivery, progress })),
)

type End = { readonly delivery: Delivery; readonly progress: RecipientProgress }

const endCounter = (workflowId: string, { delivery, progress }: End): string =>
  `${recipientsCounter(workflowId)}/${delivery}/${progress}`

/** The names of all counters of the people of a sequence. */
export const allRecipientCounters = (workflowId: string): string[] => [
  recipientsCounter(workflowId),
  ...ends.map((end) => endCounter(workflowId, end)),
]

/** A person of a sequence, as far as they are counted. */
export type Counted = Standing & { readonly workflow_id: string; readonly hidden: boolean }

/** A row before and after a change; one that is new was not there before, one that is gone is not there after. */
export type RecipientChange = { readonly before?: Counted | undefined; readonly after?: Counted | undefined }

/** Counts rows that the transaction has changed, and has locked or inserted. */
export async function countChanges(
  tx: Tx,
  { workspaceId, now }: WorkspaceNow,
  changes: readonly RecipientChange[],
): Promise<void> {
  const counts = new Map<string, number>()
  const add = (row: Counted | undefined, by: 1 | -1): void => {
    for (const name of recipientCountersOf(row)) counts.set(name, (counts.get(name) ?? 0) + by)
  }
  for (const { before, after } of changes) {
    add(before, -1)
    add(after, 1)
  }
  await addToCounts(tx, workspaceId, counts, () => newId(now))
}

/** The names of the counters in which a person of a sequence is counted. */
export function recipientCountersOf(row: Counted | undefined): string[] {
  if (row === undefined || row.hidden) return []
  const { workflow_id: id, delivery } = row
  const all = recipientsCounter(id)
  return delivery === 'active' ? [all] : [all, endCounter(id, { delivery, progress: progressOf(row) })]
}

/** The number of recipients of a sequence by progress. */
export type RecipientTotals = {
  readonly enrolled: number
  readonly deliveries: Readonly<Record<Delivery, number>>
  readonly progress: Readonly<Record<RecipientProgress, number>>
}

export function addUp(groups: readonly (End & { readonly total: number })[]): RecipientTotals {
  const deliveries = { active: 0, completed: 0, failed: 0, unsubscribed: 0 }
  const progress = { pending: 0, sent: 0, failed: 0, suppressed: 0 }
  let enrolled = 0
  for (const group of groups) {
    enrolled += group.total
    deliveries[group.delivery] += group.total
    progress[group.progress] += group.total
  }
  return { enrolled, deliveries, progress }
}

/** Returns the number of recipients of a sequence by progress, from its counters: for those who see all people. */
export async function recipientTotals(tx: ReadTx, workspaceId: string, workflowId: string): Promise<RecipientTotals> {
  const all = recipientsCounter(workflowId)
  const totals = new Map((await listTotals(tx, workspaceId, all)).map(({ object, total }) => [object, total]))
  const ended = ends.map((end) => ({ ...end, total: totals.get(endCounter(workflowId, end)) ?? 0 }))
  const active = (totals.get(all) ?? 0) - ended.reduce((sum, { total }) => sum + total, 0)
  return addUp([{ delivery: 'active', progress: 'pending', total: active }, ...ended])
}
