import type { Keyword } from '@kontor/contract'
import type { FieldType } from './field-type.ts'

/** Keywords that the schema of any field may use. */
const commonKeywords: readonly Keyword[] = [
  'type',
  'title',
  'description',
  'examples',
  'deprecated',
  'readOnly',
  'xSvcType',
  'xSvcPresentation',
]

const choices: readonly Keyword[] = ['default', 'const', 'enum']

export const textKeywords: readonly Keyword[] = [
  ...choices,
  'format',
  'pattern',
  'minLength',
  'maxLength',
  'xSvcSearchable',
]
export const numberKeywords: readonly Keyword[] = [...choices, 'minimum', 'maximum', 'multipleOf']
export const flagKeywords: readonly Keyword[] = choices
export const dateKeywords: readonly Keyword[] = [...choices, 'format', 'xSvcUnique']
export const selectKeywords: readonly Keyword[] = [...choices, 'xSvcEnumMetadata', 'xSvcSearchable']
export const itemKeywords: readonly Keyword[] = ['default', 'minItems', 'maxItems', 'uniqueItems', 'xSvcSearchable']
export const jsonKeywords: readonly Keyword[] = [...choices, 'items', 'minItems', 'maxItems', 'uniqueItems']

/** All keywords that the schema of a field may use. */
export const fieldKeywords = ({ keywords }: FieldType): readonly Keyword[] => [...commonKeywords, ...keywords]
