import { allOf, anyOf, scalarSubquery } from '../../db/expressions.ts'
import type { Knex } from 'knex'
import type { Sql } from '../../db/sql.ts'
import { gramsOfTerms, type Term } from '../indexes/index.ts'

/** A search in the records of an object: all terms must be found. A search without terms finds nothing. */
export type Search = { readonly workspaceId: string; readonly object: string; readonly terms: readonly Term[] }

/** The text of a term that must occur in a document for the term to be found. */
export const anywhere = ({ text, atStart }: Term): string => (atStart ? ` ${text}` : text)

/** A condition that all terms occur in a text of a document. */
export const containsTerms = (sql: Sql, terms: readonly Term[], text: Knex.Raw, spelled = anywhere): Knex.Raw =>
  terms.length === 0
    ? anyOf(sql, [])
    : allOf(
        sql,
        terms.map((term) => sql.dialect.contains(text, spelled(term))),
      )

/**
 * The documents in which a search finds all terms, as `s`: indexed ones by their trigrams, and those that are not
 * indexed yet.
 */
export function matchingDocuments(
  sql: Sql,
  { workspaceId, object, terms }: Search,
  select: readonly (string | Knex.Raw)[],
): Knex.QueryBuilder {
  const { knex, dialect } = sql
  const narrow = (query: Knex.QueryBuilder): Knex.QueryBuilder =>
    query
      .select([...select])
      .where({ 's.workspace_id': workspaceId, 's.object': object })
      .where(containsTerms(sql, terms, knex.ref('s.document_text')))
  const unindexed = narrow(knex('search_document as s').whereNull('s.grams'))
  if (terms.length === 0) return unindexed
  const indexed = narrow(dialect.documentsWithGrams(gramsOfTerms({ workspaceId, object }, terms)))
  return knex.select('*').from(indexed.unionAll([unindexed]).as('s'))
}

/**
 * A condition that a search finds a record of the query. It is no join, because Postgres might begin a join at the
 * wrong end.
 */
export function matchesSearch(sql: Sql, { workspaceId, terms }: Search, alias: string): Knex.Raw {
  const { knex } = sql
  const document = knex('search_document as d')
    .select(containsTerms(sql, terms, knex.ref('d.document_text')))
    .where({ 'd.workspace_id': workspaceId, 'd.record_id': knex.ref(`${alias}.id`) })
  return scalarSubquery(sql, document)
}
