import { hidden, rankOf } from '../access/index.ts'
import type { Field, RecordData } from '../fields/index.ts'
import type { ObjectModel } from '../objects/index.ts'

/** The visibility that a record declares. */
export const saidOf = ({ key }: Field, data: RecordData): unknown => data[key] ?? 'default'

/**
 * The `visibility` of a record, from its own declaration and from the level granted to the workspace, 0 for none
 * (docs/decisions/0134).
 */
export function visibilityOf({ visibility }: Pick<ObjectModel, 'visibility'>, data: RecordData, granted = 0): number {
  const said = visibility && saidOf(visibility, data)
  if (said === 'private') return hidden
  return said === 'workspace' ? Math.max(granted, rankOf('view')) : granted
}
