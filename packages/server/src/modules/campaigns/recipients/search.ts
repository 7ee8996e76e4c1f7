import type { Sql } from '../../../db/sql.ts'
import { Failure } from '../../../kernel/errors.ts'
import type { WorkspaceReadContext } from '../../../kernel/implement.ts'
import { termsOf, type FieldIndexes } from '../../indexes/index.ts'
import type { ObjectAccess } from '../../objects/index.ts'
import { containing, selected } from '../../query/index.ts'
import { fromTree, resolveFilter, type FilterContext } from '../../filters/index.ts'

/** Where `filter[q]` looks. */
const searched = ['name', 'email_addresses'] as const

/** People in whom a text occurs, as rows `r`. */
export type PeopleWithText = {
  /** All of them: words find them, where the search documents have both fields. */
  readonly found: (sql: Sql) => ReturnType<typeof containing>
  /** The person with an id, if it occurs in them. */
  readonly one: (sql: Sql, id: Parameters<typeof selected>[2]) => ReturnType<typeof selected>
}

/**
 * People in whose name or e-mail addresses a text occurs. Without a word of three letters it is looked for in all
 * people.
 */
export async function peopleWith(
  ctx: WorkspaceReadContext,
  indexes: FieldIndexes,
  { object, principal }: ObjectAccess<'read'>,
  text: string,
): Promise<PeopleWithText> {
  const { workspaceId } = ctx.workspace
  const fields = object.attributes.filter(({ name }) => searched.some((one) => one === name))
  const given = fromTree({ or: fields.map(({ name }) => ({ field: name, op: 'Contains', value: text })) }, '')
  // The fields are there: the filter is refused for no reason that the caller could mend.
  const open: FilterContext = { ...ctx, fail: (code, fault) => new Failure({ code, ...fault }) }
  const filter = await resolveFilter(open, object, given, () => ({ parameter: 'filter[q]' }))
  const isDocumented = fields.every(({ schema }) => schema.xSvcSearchable !== false)
  const terms = isDocumented ? termsOf(text).filter(({ atStart }) => !atStart) : []
  if (terms.length > 0) indexes.documents.lookAfter(workspaceId, object.key)
  const people = { workspaceId, object, principal, filter }
  return { found: (sql) => containing(sql, people, terms), one: (sql, id) => selected(sql, people, id) }
}
