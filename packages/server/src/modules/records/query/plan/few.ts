import type { ReadTx, Statement } from '../../../../db/tx.ts'
import { param, statement } from '../../../../db/statement.ts'
import { isId } from '../../../../kernel/ids.ts'
import { seesAll } from '../../../access/index.ts'
import { textValueMax, uniqueValue } from '../../index-values.ts'
import { orderedKind, placeOf } from '../../indexes/kinds.ts'
import { linkOf, uniqueName } from '../../object.ts'
import { isOfItems } from '../columns.ts'
import { conjunctsOf, type Condition } from '../filter.ts'
import type { PageRequest } from '../page-request.ts'
import type { Usable } from './source.ts'

/** So many records are looked up on the main thread. */
export const fewMax = 100

type Found = { readonly record_id: string }
type Args = { readonly workspace_id: string; readonly name: string; readonly value: string | number }

/** One value, looked up where it stands. Prepared: the answer is there before another query is put together. */
type Lookup = { readonly statement: Statement<Args, Found>; readonly name: string; readonly value: string | number; readonly words: string }

const inOrder = (table: 'field_text' | 'field_number', value: string) =>
  statement<Args, Found>(({ knex }) =>
    knex(table)
      .select('record_id')
      .where({ workspace_id: param('workspace_id'), field: param('name'), is_null: 0, [value]: param('value') })
      .limit(fewMax + 1),
  )

const statements = {
  text: inOrder('field_text', 'text_value'),
  number: inOrder('field_number', 'number_value'),
  unique: statement<Args, Found>(({ knex }) => knex('unique_key').select('record_id').where({ workspace_id: param('workspace_id'), field: param('name'), key_value: param('value') })),
  link: statement<Args, Found>(({ knex }) =>
    knex('link')
      .select('from_id as record_id')
      .where({ workspace_id: param('workspace_id'), relationship: param('name'), to_id: param('value') })
      .whereNull('hidden_by')
      .limit(fewMax + 1),
  ),
}

/** The first pages of most lists: their records need no keys to be sorted by. */
export const isByCreation = ({ sort, position }: PageRequest): boolean => position === undefined && sort.length === 1 && sort[0]?.column.name === '_created_at'

/** Records, and by what they were found. */
export type Few = { readonly ids: readonly string[]; readonly words: string }

/**
 * The ids of all records of a list, where it is asked by one value of one column, an index knows the value, and few have it.
 * Most lists with a filter are of this kind, and planning them would cost more than reading them. `many` where too many have it.
 */
export async function findFew(tx: ReadTx, request: PageRequest, usable: Usable): Promise<Few | 'many' | undefined> {
  const { workspaceId, object, asker, filter, members } = request
  const [condition, ...others] = filter === undefined ? [] : conjunctsOf(filter)
  const isSimple = condition !== undefined && others.length === 0 && 'column' in condition && condition.hops.length === 0 && condition.values.length === 1
  if (!isSimple || !isByCreation(request) || members !== undefined || !seesAll(asker)) return undefined
  const lookup = lookupOf({ object, usable }, condition)
  if (lookup === undefined) return undefined
  const rows = await tx.all(lookup.statement, { workspace_id: workspaceId, name: lookup.name, value: lookup.value })
  return rows.length > fewMax ? 'many' : { ids: rows.map(({ record_id }) => record_id), words: lookup.words }
}

function lookupOf({ object, usable }: Pick<PageRequest, 'object'> & { readonly usable: Usable }, { column, op, values }: Condition): Lookup | undefined {
  const [value = ''] = values
  if (op !== 'Is' && !(op === 'Contains' && isOfItems(column))) return undefined
  if (column.kind === 'field' && column.guard !== undefined) return undefined
  if (column.kind === 'field' && column.field.relationship !== undefined) {
    return isId(String(value)) ? { statement: statements.link, name: linkOf(object, column.field).relationship, value: String(value), words: `the links of ${column.name}` } : undefined
  }
  // Unique values meet regardless of case, whatever their type says of its own.
  if (column.kind === 'field' && column.field.unique && column.field.type.exact !== true) {
    return { statement: statements.unique, name: uniqueName(object, column.field), value: uniqueValue(String(value)), words: `the unique values of ${column.name}` }
  }
  const kind = orderedKind(column)
  // Longer texts stand there cut.
  if (kind === undefined || !usable(object, column, kind) || (kind === 'text' && String(value).length >= textValueMax)) return undefined
  return { statement: statements[kind], name: placeOf(object, column), value: kind === 'text' ? String(value) : Number(value), words: `the index of ${column.name}` }
}
