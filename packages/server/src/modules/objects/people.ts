import type { Change } from '@kontor/contract'
import { isString } from '../../lib/guards.ts'
import type { RecordData } from '../fields/index.ts'
import type { ObjectModel } from './object.ts'

const userFields = ({ references }: ObjectModel) => references.filter(({ type }) => type.name === 'user_reference')

/** The users in charge of a record: the ones that its fields name, such as its owner or assignee. */
export const usersIn = (object: ObjectModel, data: RecordData): string[] =>
  userFields(object)
    .map(({ key }) => data[key])
    .filter(isString)

/** The users whom changes put in charge of a record. */
export function usersNamedIn(object: ObjectModel, diff: readonly Change[]): string[] {
  const names = new Set<unknown>(userFields(object).map(({ name }) => name))
  return diff.flatMap(({ path, val }) => (names.has(path[0]) && isString(val) ? [val] : []))
}
