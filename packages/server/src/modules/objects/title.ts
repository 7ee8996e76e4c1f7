import { memberOf } from '../../lib/guards.ts'
import type { Field, RecordData } from '../fields/index.ts'
import type { ObjectModel } from './object.ts'

/** The text of a primary field, as lists show it. */
export function fieldTitle({ type }: Pick<Field, 'type'>, value: unknown): string {
  const shown = type.path.reduce<unknown>(memberOf, value ?? undefined)
  return typeof shown === 'string' ? shown : ''
}

/** What a record is called: the texts of its primary fields. */
export const recordTitle = ({ attributes }: ObjectModel, data: RecordData): string =>
  attributes
    .filter(({ primary }) => primary)
    .map((field) => fieldTitle(field, data[field.key]))
    .filter((text) => text !== '')
    .join(' ')
