import type { Knex } from 'knex'
import type { RowOf } from '../../../db/columns.ts'
import { allOf, anyOf, compare } from '../../../db/expressions.ts'
import { fold } from '../../../db/fold.ts'
import type { Slice } from '../../../db/in-order.ts'
import type { Sql } from '../../../db/sql.ts'
import type { ReadTx } from '../../../db/tx.ts'
import { whereVisible, type Principal } from '../../access/index.ts'
import { readTotal } from '../../../db/rows.ts'

type SegmentQuery = {
  readonly workspaceId: string
  /** The key of meetings. */
  readonly object: string
  readonly principal: Principal
  /** All of them must be there, as parts of what was said or of who said it. */
  readonly words: readonly string[]
  readonly speaker: string
  /** The last recording first; what was said in one stays in its order. */
  readonly descending: boolean
}

type Segment = Omit<RowOf<'transcript_segment'>, 'workspace_id' | 'searched'>

/** Finds segments of transcripts that a caller may see, and their number. */
export async function searchSegments(
  tx: ReadTx,
  asked: SegmentQuery,
  slice: Slice,
): Promise<{ readonly found: Segment[]; readonly total: number }> {
  const [found, total] = await Promise.all([
    tx.query<Segment>(
      (sql) =>
        inSlice(
          sql,
          matching(sql, asked).select(
            't.recording_id',
            't.place',
            't.meeting_id',
            't.speaker',
            't.said',
            't.starts_after_ms',
          ),
          asked,
          slice,
        ),
      { heavy: true },
    ),
    readTotal(tx, (sql) => matching(sql, asked).count({ total: '*' })),
  ])
  return { found, total }
}

/** Narrows a query to a slice: recordings in the order of their ids, what was said in one in its own. */
function inSlice(
  sql: Sql,
  query: Knex.QueryBuilder,
  { descending }: SegmentQuery,
  { offset, rows, beyond }: Slice,
): Knex.QueryBuilder {
  const isBackward = beyond?.direction === 'before'
  query
    .orderBy([
      { column: 't.recording_id', order: descending === isBackward ? 'asc' : 'desc' },
      { column: 't.place', order: isBackward ? 'desc' : 'asc' },
    ])
    .limit(rows)
  if (beyond === undefined) return offset > 0 ? query.offset(offset) : query
  const [id, place] = [sql.ref('t.recording_id'), sql.ref('t.place')]
  const { id: recording, value } = beyond
  return query.where(
    anyOf(sql, [
      compare(sql, id, descending === isBackward ? '>' : '<', recording),
      allOf(sql, [compare(sql, id, '=', recording), compare(sql, place, isBackward ? '<' : '>', value ?? 0)]),
    ]),
  )
}

function matching(sql: Sql, { workspaceId, object, principal, words, speaker }: SegmentQuery) {
  const { knex, dialect } = sql
  const query = knex('transcript_segment as t')
    .join('record as r', (on) => on.on('r.workspace_id', 't.workspace_id').andOn('r.id', 't.meeting_id'))
    .where({ 't.workspace_id': workspaceId, 'r.workspace_id': workspaceId, 'r.object': object })
    .whereNull('r.deleted_at')
  for (const word of words) query.where(dialect.contains(sql.ref('t.searched'), fold(word)))
  if (speaker !== '') query.where(dialect.contains(dialect.fold(sql.ref('t.speaker')), fold(speaker)))
  return whereVisible(sql, query, 'r', principal)
}
