import type { RowOf } from '../../../db/columns.ts'
import { fold } from '../../../db/fold.ts'
import type { Sql } from '../../../db/sql.ts'
import type { ReadTx } from '../../../db/tx.ts'
import { whereVisible, type Principal } from '../../access/index.ts'

type Asked = {
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

/** What was said in meetings that a caller may see, and how much there is in all. */
export async function searchSegments(
  tx: ReadTx,
  asked: Asked,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<{ readonly rows: Segment[]; readonly total: number }> {
  const [rows, [counted]] = await Promise.all([
    tx.query<Segment>(
      (sql) =>
        found(sql, asked)
          .select('t.recording_id', 't.place', 't.meeting_id', 't.speaker', 't.said', 't.starts_after_ms')
          .orderBy([
            { column: 't.recording_id', order: asked.descending ? 'desc' : 'asc' },
            { column: 't.place', order: 'asc' },
          ])
          .offset(offset)
          .limit(limit),
      { heavy: true },
    ),
    tx.query<{ total: number }>((sql) => found(sql, asked).count({ total: '*' }), { heavy: true }),
  ])
  return { rows, total: counted?.total ?? 0 }
}

function found(sql: Sql, { workspaceId, object, principal, words, speaker }: Asked) {
  const { knex, dialect } = sql
  const query = knex('transcript_segment as t')
    .join('record as r', (on) => on.on('r.workspace_id', 't.workspace_id').andOn('r.id', 't.meeting_id'))
    .where({ 't.workspace_id': workspaceId, 'r.workspace_id': workspaceId, 'r.object': object })
    .whereNull('r.deleted_at')
  for (const word of words) query.where(dialect.contains(sql.ref('t.searched'), fold(word)))
  if (speaker !== '') query.where(dialect.contains(dialect.fold(sql.ref('t.speaker')), fold(speaker)))
  return whereVisible(sql, query, 'r', principal)
}
