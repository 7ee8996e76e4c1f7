import { aliased, countOver, firstOf, isLive, recordsOf } from '../../db/expressions.ts'
import type { Knex } from 'knex'
import { searchCountedMax } from '@kontor/contract'
import { defined } from '../../lib/guards.ts'
import type { Sql } from '../../db/sql.ts'
import type { ReadTx } from '../../db/tx.ts'
import { seesAll, whereVisible, type Principal } from '../access/index.ts'
import { type ObjectModel, recordColumns, type RecordRow } from '../objects/index.ts'
import { anywhere, matchingDocuments, containsReading, type Search } from '../filters/index.ts'
import type { Term } from '../indexes/index.ts'

/** A record that a search found: the lower the rank, the better. */
export type Hit = {
  readonly id: string
  readonly object: ObjectModel['key']
  readonly rank: number
  readonly title: string
}

type Hits = { readonly hits: readonly Hit[]; readonly total: number }

/** A search in one object, and its principal. */
export type ObjectSearch = Search & { readonly principal: Principal<'read'> }

/** Objects that one query searches: its text grows with them, and SQLite joins at most five hundred parts. */
const objectsAtOnce = 16

/**
 * Finds the best records of each object that the caller may see, and how many there are: per object, at most one more
 * than are counted.
 */
export async function findHits(tx: ReadTx, searched: readonly ObjectSearch[], limit: number): Promise<Hits> {
  const batches = Array.from({ length: Math.ceil(searched.length / objectsAtOnce) }, (_, index) =>
    searched.slice(index * objectsAtOnce, (index + 1) * objectsAtOnce),
  )
  const found = await Promise.all(
    batches.map((some) => tx.query<Hit & { total: number }>((sql) => hitsOf(sql, some, limit), { heavy: true })),
  )
  const rows = found.flat()
  const totals = new Map(rows.map(({ object, total }) => [object, total]))
  return {
    hits: rows.map(({ id, object, rank, title }) => ({ id, object, rank, title })),
    total: [...totals.values()].reduce((sum, total) => sum + total, 0),
  }
}

function hitsOf(sql: Sql, searched: readonly ObjectSearch[], limit: number): Knex.QueryBuilder {
  const [first, ...others] = searched.map((one) => sql.knex.select('*').from(hitsOfObject(sql, one, limit).as('o')))
  return others.length === 0 ? defined(first) : defined(first).unionAll(others)
}

function hitsOfObject(sql: Sql, { principal, ...search }: ObjectSearch, limit: number): Knex.QueryBuilder {
  const { knex } = sql
  const columns = ['s.record_id', 's.object', 's.title_text'] as const
  const all = matchingDocuments(sql, search, [...columns, aliased(sql, rankOf(sql, search.readings), 'rank')])
  const visible = seesAll(principal)
    ? all
    : whereVisible(sql, knex.select(...columns, 's.rank').from(recordsOf(sql, all, search.workspaceId)), 'r', principal)
  return knex
    .select('h.record_id as id', 'h.object', 'h.rank', 'h.title_text as title', aliased(sql, countOver(sql), 'total'))
    .from(visible.limit(searchCountedMax + 1).as('h'))
    .orderBy(['h.rank', 'h.title_text', 'h.record_id'])
    .limit(limit)
}

const whole = ({ text }: Term): string => ` ${text} `
const beginning = ({ text }: Term): string => ` ${text}`

/**
 * Ranks a match: all terms as whole words, then all at the beginning of words, then all anywhere; the primary field
 * before other fields.
 */
function rankOf(sql: Sql, readings: Search['readings']): Knex.Raw {
  const [title, document] = [sql.knex.ref('s.title_text'), sql.knex.ref('s.document_text')]
  return firstOf(sql, [
    containsReading(sql, readings, title, whole),
    containsReading(sql, readings, title, beginning),
    containsReading(sql, readings, title, anywhere),
    containsReading(sql, readings, document, whole),
    containsReading(sql, readings, document, beginning),
  ])
}

/** Sorts hits, the better first: by rank, then by the primary field, then by id, as the databases sort. */
export const byRelevance = (a: Hit, b: Hit): number =>
  a.rank - b.rank || Buffer.compare(Buffer.from(a.title), Buffer.from(b.title)) || (a.id < b.id ? -1 : 1)

/**
 * Reads the live records that were found and that the caller may still see: access was checked one statement earlier.
 */
export async function listRows(
  tx: ReadTx,
  workspaceId: string,
  searched: readonly ObjectSearch[],
  hits: readonly Hit[],
): Promise<(RecordRow & { readonly object: ObjectModel['key'] })[]> {
  if (hits.length === 0) return []
  const found = new Set(hits.map(({ object }) => object))
  const ids = hits.map(({ id }) => id)
  return tx.query((sql) => {
    const { knex, dialect } = sql
    const ofObjects = knex('record as r').where((either) => {
      for (const { object, principal } of searched.filter((one) => found.has(one.object))) {
        either.orWhere((one) => void whereVisible(sql, one.where('r.object', object), 'r', principal))
      }
    })
    const columns = [...recordColumns, 'object'].map((column) => `r.${column}`)
    return ofObjects
      .select(columns)
      .where('r.workspace_id', workspaceId)
      .where(dialect.oneOf('r.id', ids))
      .where(isLive(sql, 'r'))
  })
}
