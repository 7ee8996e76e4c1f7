import type { Field } from '../../fields/index.ts'
import type { ObjectModel } from '../../objects/index.ts'

/** Fields whose inverse field also leads to one record. */
export const oneToOneFields = (object: ObjectModel): Field[] => object.references.filter(isOneToOne)

export const isOneToOne = ({ relationship }: Field): boolean => relationship?.kind === 'one-to-one'
