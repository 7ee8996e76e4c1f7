import { defined } from '../../../lib/guards.ts'
import type { RowOf } from '../../../db/columns.ts'
import { gatherStatistics } from '../../../db/statistics.ts'
import type { Tx } from '../../../db/tx.ts'
import { inClaimOrder } from '../../../lib/claim-order.ts'
import { indexRows, indexTables, primaryIndexes, uniqueValues } from '../../indexes/index.ts'
import { lockRecords, uniqueName, type RecordRow } from '../../objects/index.ts'
import type { Effects } from '../change/effects.ts'
import { addProgress, fail, turnOf } from './check.ts'
import { withFaults } from './findings.ts'
import { lookOn } from './records.ts'
import { again, onward, type StepOutcome, type StepContext } from './state.ts'

/**
 * Makes every record claim the values of fields that become unique, and adds it to new indexes. A concurrent writer of
 * one of them waits for some milliseconds.
 */
export async function claim(context: StepContext): Promise<StepOutcome> {
  const { job, payload } = context
  const turn = turnOf(context, ({ evolution: { claimed, indexed } }) => claimed.length + indexed.length > 0)
  if (turn === undefined) {
    if (payload.findings.length > 0) return fail(context)
    if (context.effects.some(({ evolution: { indexed } }) => indexed.length > 0))
      for (const table of indexTables) await gatherStatistics(job.database, table, job.workspaceId)
    return again({ ...payload, step: 'activate', place: null }, 0)
  }
  const { effects, index } = turn
  const { records, next } = await lookOn(
    job.database.reader,
    job.workspaceId,
    { object: effects.after.key, index, place: payload.place },
    payload.rows,
  )
  return job.conclude<StepOutcome>(async (tx) => {
    const began = performance.now()
    const rows = await lockRecords(
      tx,
      job.workspaceId,
      effects.after.key,
      records.map(({ id }) => id),
      'change',
    )
    const indexed = indexRows(job.workspaceId, effects.after, effects.evolution.indexed.flatMap(primaryIndexes), rows)
    for (const table of indexTables)
      if (indexed[table].length > 0) await tx.insertNew(table, indexed[table], ['record_id'])
    const findings = withFaults(payload.findings, await claimAll(tx, job.workspaceId, effects, rows))
    await addProgress(tx, job.workspaceId, payload.taskId, records.length, job.clock.now())
    return onward({ ...payload, findings, place: next }, performance.now() - began)
  })
}

type Claim = RowOf<'unique_key'>

/** Claims values; returns a fault for each field of a record that shares a value with another one. */
async function claimAll(
  tx: Tx,
  workspaceId: string,
  { target, after, evolution }: Effects,
  rows: readonly RecordRow[],
) {
  const fields = new Map(evolution.claimed.map((field) => [uniqueName(after, field), field]))
  const claims = [...fields].flatMap(([name, field]) =>
    rows.flatMap(({ id, data }) =>
      uniqueValues(field, data).map((value): Claim => ({
        workspace_id: workspaceId,
        field: name,
        key_value: value,
        record_id: id,
      })),
    ),
  )
  const claimed = new Set(
    (await tx.insertNew('unique_key', await inClaimOrder(claims), ['field', 'key_value', 'record_id'])).map(textOf),
  )
  const lost = claims.filter((one) => !claimed.has(textOf(one)))
  const held = new Set(
    (await Promise.all([...fields.keys()].map((name) => listHeld(tx, workspaceId, name, lost)))).flat().map(textOf),
  )
  const losers = new Map(
    lost.filter((one) => !held.has(textOf(one))).map((one) => [`${one.field} ${one.record_id}`, one]),
  )
  return [...losers.values()].map(({ field, record_id: recordId }) => ({
    object: target.name,
    field: defined(fields.get(field)).name,
    detail: 'Another record also has this value.',
    conflict: true,
    recordId,
  }))
}

const textOf = ({ field, key_value, record_id }: Pick<Claim, 'field' | 'key_value' | 'record_id'>): string =>
  `${field}\0${key_value}\0${record_id}`

/** Claims that the record itself made when it was written after the announcement. */
const listHeld = (tx: Tx, workspaceId: string, name: string, claims: readonly Claim[]): Promise<Claim[]> =>
  tx.query(({ knex, dialect }) =>
    knex('unique_key')
      .select('field', 'key_value', 'record_id')
      .where({ workspace_id: workspaceId, field: name })
      .where(
        dialect.oneOf(
          'key_value',
          claims.map(({ key_value }) => key_value),
          'text',
        ),
      ),
  )
