import { columnOfKey, type ObjectModel } from '../objects/index.ts'
import type { IndexName } from './store.ts'

/** The same index by the names of its object and field, which operators know; one that is being removed has its key. */
export const named = <Index extends IndexName>(index: Index, object: ObjectModel): Index => ({
  ...index,
  object: object.name,
  field: columnOfKey(object, index.field)?.name ?? index.field,
})
