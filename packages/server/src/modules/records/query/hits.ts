import type { Knex } from 'knex'
import { searchCountedMax } from '@kontor/contract'
import type { ReadTx, Sql } from '../../../db/tx.ts'
import { seesAll, whereVisible, type Asker } from '../../access/index.ts'
import type { ObjectModel } from '../object.ts'
import { recordColumns, type RecordRow } from '../store.ts'
import { anywhere, documentsFound, holds, type Search } from './search-sql.ts'
import type { Term } from '../search/words.ts'

/** A record that a search has found: the lower the rank, the better. */
export type Hit = { readonly id: string; readonly rank: number; readonly title: string }

type Hits = { readonly hits: readonly Hit[]; readonly total: number }

/** Looks for terms in the records of an object that the caller may see: the best of them, and how many there are, up to one more than are counted. */
export async function findHits(tx: ReadTx, { workspaceId, object, terms, asker, limit }: Search & { readonly asker: Asker; readonly limit: number }): Promise<Hits> {
  const rows = await tx.query<{ id: string; rank: number; title: string; total: number }>(
    (sql) => {
      const { knex, dialect } = sql
      const all = documentsFound(sql, { workspaceId, object, terms }, ['s.record_id', 's.title_text', dialect.aliased(knex, rankOf(sql, terms), 'rank')])
      const visible = seesAll(asker) ? all : whereVisible(knex.select('s.record_id', 's.title_text', 's.rank').from(dialect.recordsOf(knex, all, workspaceId)), 'r', asker)
      return knex
        .select('h.record_id as id', 'h.rank', 'h.title_text as title', dialect.aliased(knex, dialect.countOver(knex), 'total'))
        .from(visible.limit(searchCountedMax + 1).as('h'))
        .orderBy(['h.rank', 'h.title_text', 'h.record_id'])
        .limit(limit)
    },
    { heavy: true },
  )
  return { hits: rows.map(({ id, rank, title }) => ({ id, rank, title })), total: rows[0]?.total ?? 0 }
}

const whole = ({ text }: Term): string => ` ${text} `
const beginning = ({ text }: Term): string => ` ${text}`

/** All terms as whole words, then all at the beginning of words, then all anywhere; in the primary field before elsewhere. */
function rankOf(sql: Sql, terms: readonly Term[]): Knex.Raw {
  const [title, document] = [sql.knex.ref('s.title_text'), sql.knex.ref('s.document_text')]
  return sql.dialect.firstOf(sql.knex, [
    holds(sql, terms, title, whole),
    holds(sql, terms, title, beginning),
    holds(sql, terms, title, anywhere),
    holds(sql, terms, document, whole),
    holds(sql, terms, document, beginning),
  ])
}

/** The better of two hits first: by rank, then by the primary field, then by id, as the databases sort. */
export const byRelevance = (a: Hit, b: Hit): number => a.rank - b.rank || Buffer.compare(Buffer.from(a.title), Buffer.from(b.title)) || (a.id < b.id ? -1 : 1)

/** Live records by id. */
export async function listRows(tx: ReadTx, workspaceId: string, ids: readonly string[]): Promise<(RecordRow & { readonly object: ObjectModel['name'] })[]> {
  return ids.length === 0
    ? []
    : tx.query(({ knex, dialect }) => knex('record').select(...recordColumns, 'object').where('workspace_id', workspaceId).where(dialect.oneOf(knex, 'id', ids)).whereNull('deleted_at'))
}
