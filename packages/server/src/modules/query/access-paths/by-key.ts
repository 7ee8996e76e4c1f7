import { isLive } from '../../../db/expressions.ts'
import { isId } from '../../../kernel/ids.ts'
import { isEquality, type Condition, type ResolvedFilter, matchingDocuments } from '../../filters/index.ts'
import { selectivities, type AccessPath, type PlanScope } from './access-path.ts'
import { linkEndOf, uniqueName } from '../../objects/index.ts'
import { visiblePart } from '@kontor/contract'
import { uniqueValue } from '../../indexes/index.ts'

/** The path by id: the record table itself. */
export function idPath({ workspaceId, object }: PlanScope, condition: Condition): AccessPath | undefined {
  const { column, values } = condition
  if (column.kind !== 'system' || column.column !== 'id' || !isEquality(condition)) return undefined
  const ids = values.map(String).filter(isId)
  return {
    rows: (sql) =>
      sql
        .knex('record as s')
        .select('s.id as record_id')
        .where({ 's.workspace_id': workspaceId, 's.object': object.key })
        .where(sql.dialect.oneOf('s.id', ids))
        .where(isLive(sql, 's')),
    covers: [condition],
    selectivity: selectivities.one,
    label: 'the records themselves, by id',
  }
}

/** The path by a reference: the links of the record that it refers to. */
export function linkPath({ workspaceId, object }: PlanScope, condition: Condition): AccessPath | undefined {
  const { column, values } = condition
  if (column.kind !== 'field' || column.field.relationship === undefined || !isEquality(condition)) return undefined
  const ids = values.map(String).filter(isId)
  return {
    rows: ({ knex, dialect }) =>
      knex('link as s')
        .select('s.from_id as record_id')
        .where('s.workspace_id', workspaceId)
        .where(dialect.bothOf(['s.relationship', [linkEndOf(object, column.field).relationship]], ['s.to_id', ids]))
        .whereNull('s.hidden_by'),
    covers: column.guard === undefined ? [condition] : [],
    selectivity: selectivities.equal,
    label: `the links of ${column.name}`,
  }
}

/** The path by a unique value, which one record holds. */
export function uniqueKeyPath({ workspaceId, object }: PlanScope, condition: Condition): AccessPath | undefined {
  const { column, values } = condition
  if (column.kind !== 'field' || !column.field.unique || !isEquality(condition)) return undefined
  const keys = values.map((value) => uniqueValue(String(value)))
  return {
    rows: ({ knex, dialect }) =>
      knex('unique_key as s')
        .distinct('s.record_id')
        .where({ 's.workspace_id': workspaceId, 's.field': uniqueName(object, column.field) })
        .where(dialect.oneOf('s.key_value', keys, 'text')),
    // Unique values are compared without regard to case and to what is invisible at their ends, whatever the field type
    // does elsewhere.
    covers:
      column.field.type.exact === true ||
      column.guard !== undefined ||
      values.some((value) => visiblePart(String(value)) !== String(value))
        ? []
        : [condition],
    selectivity: selectivities.one,
    label: `the unique values of ${column.name}`,
  }
}

/** The path to the documents in which a search finds all its words. */
export const searchPath = (part: Extract<ResolvedFilter, { search: unknown }>): AccessPath => ({
  rows: (sql) => matchingDocuments(sql, part.search, ['s.record_id']),
  rowsWithCreation: (sql) => matchingDocuments(sql, part.search, ['s.record_id', 's.created_at']),
  covers: [part],
  selectivity: selectivities.some,
  label: 'the words that are searched for',
})
