import { isId } from '../../../kernel/ids.ts'
import { seesAll } from '../../access/index.ts'
import { textValueMax, uniqueValue, orderedKind, indexedColumn } from '../../indexes/index.ts'
import { linkEndOf, uniqueName } from '../../objects/index.ts'
import { conjunctsOf, type Condition } from '../../filters/index.ts'
import type { ListQuery } from '../list-query.ts'
import type { IsIndexUsable } from './access-path.ts'
import type { ValueIndexKind } from './store.ts'

/** One value of one column, and the index that holds it. */
export type ValueLookup = {
  readonly kind: ValueIndexKind
  readonly name: string
  readonly value: string | number
  readonly label: string
}

/** The value that a list is filtered by, if it is filtered by one value alone and an index holds it. */
export function valueLookupOf(
  { object, principal, filter, idSet }: ListQuery,
  usable: IsIndexUsable,
): ValueLookup | undefined {
  const [condition, ...others] = filter === undefined ? [] : conjunctsOf(filter)
  const isSimple =
    condition !== undefined &&
    others.length === 0 &&
    'column' in condition &&
    condition.steps.length === 0 &&
    condition.values.length === 1
  if (!isSimple || idSet !== undefined || !seesAll(principal)) return undefined
  return lookupOf({ object, usable }, condition)
}

function lookupOf(
  { object, usable }: Pick<ListQuery, 'object'> & { readonly usable: IsIndexUsable },
  { column, op, values }: Condition,
): ValueLookup | undefined {
  const [value = ''] = values
  if (op !== 'Is') return undefined
  if (column.kind === 'field' && column.guard !== undefined) return undefined
  if (column.kind === 'field' && column.field.relationship !== undefined) {
    return isId(String(value))
      ? {
          kind: 'link',
          name: linkEndOf(object, column.field).relationship,
          value: String(value),
          label: `the links of ${column.name}`,
        }
      : undefined
  }
  // Unique values are compared without regard to case, whatever the field type does elsewhere.
  if (column.kind === 'field' && column.field.unique && column.field.type.exact !== true) {
    return {
      kind: 'unique',
      name: uniqueName(object, column.field),
      value: uniqueValue(String(value)),
      label: `the unique values of ${column.name}`,
    }
  }
  const kind = orderedKind(column)
  // The index keeps only the beginning of longer texts.
  if (kind === undefined || !usable(object, column, kind) || (kind === 'text' && String(value).length >= textValueMax))
    return undefined
  return {
    kind,
    name: indexedColumn(object, column),
    value: kind === 'text' ? String(value) : Number(value),
    label: `the index of ${column.name}`,
  }
}
