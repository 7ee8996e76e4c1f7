import type { Field } from '../fields/field-type.ts'
import type { ObjectModel } from '../object.ts'

/** Fields whose counterpart leads to one record as well. */
export const pairFields = (object: ObjectModel): Field[] => object.references.filter(isPaired)

export const isPaired = ({ relationship }: Field): boolean => relationship?.kind === 'one-to-one'
