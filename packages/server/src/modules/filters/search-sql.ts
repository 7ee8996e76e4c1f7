import { allOf, anyOf, scalarSubquery } from '../../db/expressions.ts'
import type { Knex } from 'knex'
import type { Sql } from '../../db/sql.ts'
import { gramsOfTerms, type Term } from '../indexes/index.ts'

/**
 * A search in the records of an object: all terms of a reading must be found. A reading without terms finds nothing.
 */
export type Search = {
  readonly workspaceId: string
  readonly object: string
  readonly readings: readonly (readonly Term[])[]
}

/** The text of a term that must occur in a document for the term to be found. */
export const anywhere = ({ text, atStart }: Term): string => (atStart ? ` ${text}` : text)

/** A condition that all terms of a reading occur in a text of a document. */
export const containsReading = (sql: Sql, readings: Search['readings'], text: Knex.Raw, spelled = anywhere): Knex.Raw =>
  anyOf(
    sql,
    readings.map((terms) => containsTerms(sql, terms, text, spelled)),
  )

const containsTerms = (sql: Sql, terms: readonly Term[], text: Knex.Raw, spelled: typeof anywhere): Knex.Raw =>
  terms.length === 0
    ? anyOf(sql, [])
    : allOf(
        sql,
        terms.map((term) => sql.dialect.contains(text, spelled(term))),
      )

/**
 * The documents that a search finds, as `s`: indexed ones by the trigrams of each reading, and those that are not
 * indexed yet.
 */
export function matchingDocuments(
  sql: Sql,
  { workspaceId, object, readings }: Search,
  select: readonly (string | Knex.Raw)[],
): Knex.QueryBuilder {
  const { knex, dialect } = sql
  const narrow = (query: Knex.QueryBuilder): Knex.QueryBuilder =>
    query
      .select([...select])
      .where({ 's.workspace_id': workspaceId, 's.object': object })
      .where(containsReading(sql, readings, knex.ref('s.document_text')))
  const unindexed = narrow(knex('search_document as s').whereNull('s.grams'))
  const [first, ...others] = readings
    .filter((terms) => terms.length > 0)
    .map((terms) => narrow(dialect.documentsWithGrams(gramsOfTerms({ workspaceId, object }, terms))))
  if (first === undefined) return unindexed
  // Several readings may find one document.
  const found = others.length === 0 ? first.unionAll([unindexed]) : first.union([...others, unindexed])
  return knex.select('*').from(found.as('s'))
}

/**
 * A condition that a search finds a record of the query. It is no join, because Postgres might begin a join at the
 * wrong end.
 */
export function matchesSearch(sql: Sql, { workspaceId, readings }: Search, alias: string): Knex.Raw {
  const { knex } = sql
  const document = knex('search_document as d')
    .select(containsReading(sql, readings, knex.ref('d.document_text')))
    .where({ 'd.workspace_id': workspaceId, 'd.record_id': knex.ref(`${alias}.id`) })
  return scalarSubquery(sql, document)
}
