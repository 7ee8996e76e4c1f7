import type { Knex } from 'knex'
import { memberOf } from '../../lib/guards.ts'
import { kindOf, namesIn, only, refused } from '../sql-grammar/index.ts'
import type { Canonical } from './groups.ts'
import { valueAt } from './expression.ts'
import type { Selected } from './select-list.ts'
import type { SqlScope, SqlValue } from './value.ts'

/** A column of ORDER BY: one that is selected, by its position, or a value of its own. */
export type RowOrder = {
  readonly position: number | undefined
  readonly value: Knex.Raw | undefined
  readonly descending: boolean
  /** Texts are ordered regardless of case. */
  readonly folds: boolean
}

type Ordering = {
  readonly selected: readonly Selected[]
  readonly values: readonly SqlValue[]
  readonly scope: SqlScope
  readonly isDistinct: boolean
  readonly canonical: Canonical
}

const columnsMax = 10

/** Reads ORDER BY. */
export function orderOf(clause: unknown, ordering: Ordering): RowOrder[] {
  const parts = Array.isArray(clause) ? clause : []
  if (parts.length > columnsMax) throw refused(`ORDER BY accepts at most ${columnsMax} columns`, parts[columnsMax])
  return parts.map((sort) => {
    const [, node] = kindOf(sort)
    only({ ...node, sortby_dir: undefined, sortby_nulls: undefined }, ['node'], 'ORDER BY')
    const descending = node['sortby_dir'] === 'SORTBY_DESC'
    if (node['sortby_dir'] === 'SORTBY_USING') throw refused('ORDER BY accepts ASC or DESC', node['node'])
    if (node['sortby_nulls'] === 'SORTBY_NULLS_FIRST')
      throw refused('Empty values are last in either direction', node['node'])
    return { ...orderAt(node['node'], ordering), descending }
  })
}

function orderAt(
  part: unknown,
  { selected, values, scope, isDistinct, canonical }: Ordering,
): Omit<RowOrder, 'descending'> {
  const position = positionOf(part, selected, canonical)
  if (position !== undefined) return { position, value: undefined, folds: values[position]?.kind === 'text' }
  if (isDistinct) throw refused('With DISTINCT, ORDER BY names columns that are selected', part)
  const { kind, value } = valueAt(part, scope)
  return { position: undefined, value, folds: kind === 'text' }
}

/** The position of what is selected: given as a number, as its name, or written again. */
function positionOf(part: unknown, selected: readonly Selected[], canonical: Canonical): number | undefined {
  const [kind, node] = kindOf(part)
  if (kind === 'A_Const') {
    const position = Number(memberOf(node['ival'], 'ival') ?? 0) - 1
    if (selected[position] === undefined) throw refused('A number in ORDER BY must be that of a selected column', part)
    return position
  }
  const names = kind === 'ColumnRef' ? namesIn(node['fields']) : undefined
  const byName = names?.length === 1 ? selected.findIndex(({ alias }) => alias === names[0]) : -1
  if (byName !== -1) return byName
  const key = canonical(part)
  const same = selected.findIndex((one) => canonical(one.part) === key)
  return same === -1 ? undefined : same
}
