import { isDeepStrictEqual } from 'node:util'
import type { Change } from '@kontor/contract'
import type { ObjectModel } from '../../objects/index.ts'
import type { RecordData } from '../../fields/index.ts'

/** The differences between two states of a record, field by field; null stands for no value. */
export function diffData(object: ObjectModel, before: RecordData, after: RecordData): Change[] {
  return object.attributes.flatMap(({ name, key }): Change[] => {
    const oldVal = before[key] ?? null
    const val = after[key] ?? null
    if (isDeepStrictEqual(oldVal, val)) return []
    return [{ op: oldVal === null ? 'add' : val === null ? 'delete' : 'update', path: [name], val, oldVal }]
  })
}
