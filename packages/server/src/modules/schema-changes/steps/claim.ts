import type { Row, Tx } from '../../../db/tx.ts'
import { indexRows, indexTables, lockRecords, primaryIndexes, uniqueName, uniqueValues, type RecordRow } from '../../records/index.ts'
import type { Effects } from '../change/effects.ts'
import { addProgress, fail, placeAfter, turnOf } from './check.ts'
import { withFaults } from './findings.ts'
import { listRecordsAfter } from './records.ts'
import { again, type Outcome, type StepContext } from './state.ts'

/** Locked while their values are claimed, so that whoever writes one of them waits for some milliseconds at most. */
const claimedAtOnce = 200

/** Lets every record claim the values of fields that become unique, and take its place in new orders. */
export async function claim(context: StepContext): Promise<Outcome> {
  const { job, payload } = context
  const turn = turnOf(context, ({ evolution: { claimed, indexed } }) => claimed.length + indexed.length > 0)
  if (turn === undefined) return payload.findings.length > 0 ? fail(context) : again({ ...payload, step: 'activate', place: null }, 0)
  const { effects, index, after } = turn
  const places = await listRecordsAfter(job.database.reader, job.workspaceId, effects.after.key, after, claimedAtOnce)
  return job.conclude(async (tx) => {
    const rows = await lockRecords(tx, job.workspaceId, effects.after.key, places.map(({ id }) => id), 'change')
    const indexed = indexRows(job.workspaceId, effects.after, effects.evolution.indexed.flatMap(primaryIndexes), rows)
    for (const table of indexTables) if (indexed[table].length > 0) await tx.insertNew(table, indexed[table], ['record_id'])
    const findings = withFaults(payload.findings, await claimAll(tx, job.workspaceId, effects, rows))
    await addProgress(tx, job.workspaceId, payload.taskId, places.length, job.clock.now())
    return again({ ...payload, findings, place: placeAfter(index, places.at(-1)) })
  })
}

type Claim = Row & { readonly field: string; readonly key_value: string; readonly record_id: string }

/** Claims values; a fault for each record that shares one with another record. */
async function claimAll(tx: Tx, workspaceId: string, { target, after, evolution }: Effects, rows: readonly RecordRow[]) {
  const faults: { object: string; field: string; detail: string; conflict: boolean; recordId: string }[] = []
  for (const field of evolution.claimed) {
    const name = uniqueName(after, field)
    const claims = rows.flatMap(({ id, data }) => uniqueValues(field, data).map((value): Claim => ({ workspace_id: workspaceId, field: name, key_value: value, record_id: id })))
    const claimed = new Set((await tx.insertNew<Claim>('unique_key', claims, ['key_value', 'record_id'])).map(textOf))
    const lost = claims.filter((one) => !claimed.has(textOf(one)))
    const held = new Set((await listHeld(tx, workspaceId, name, lost)).map(textOf))
    const losers = new Set(lost.filter((one) => !held.has(textOf(one))).map(({ record_id }) => record_id))
    for (const recordId of losers) faults.push({ object: target.name, field: field.name, detail: 'Another record has this value as well.', conflict: true, recordId })
  }
  return faults
}

const textOf = ({ key_value, record_id }: Pick<Claim, 'key_value' | 'record_id'>): string => `${key_value}\0${record_id}`

/** Claims that the record itself made, when it was written after the announcement. */
const listHeld = (tx: Tx, workspaceId: string, name: string, claims: readonly Claim[]): Promise<Claim[]> =>
  tx.query(({ knex, dialect }) =>
    knex('unique_key')
      .select('key_value', 'record_id')
      .where({ workspace_id: workspaceId, field: name })
      .where(dialect.oneOf(knex, 'key_value', claims.map(({ key_value }) => key_value), 'text')),
  )
