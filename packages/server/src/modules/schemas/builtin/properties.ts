import type { FieldSchema, RelationshipKind } from '@kontor/contract'

/** Helpers that declare fields of the built-in objects; the results are ordinary field schemas. */
const nullable = (title: string, more: Partial<FieldSchema>): FieldSchema => ({
  type: ['string', 'null'],
  title,
  ...more,
})

export const text = (title: string, more: Partial<FieldSchema> = {}) => nullable(title, { xSvcType: 'text', ...more })
export const longText = (title: string) => nullable(title, { xSvcType: 'long_text' })
export const url = (title: string) => nullable(title, { xSvcType: 'url' })
export const date = (title: string) => nullable(title, { xSvcType: 'date', format: 'date' })
export const timestamp = (title: string) => nullable(title, { xSvcType: 'timestamp', format: 'date-time' })
export const select = (title: string, options: readonly string[]) =>
  nullable(title, { xSvcType: 'select', enum: [...options] })
/** A required option field with the first option as its default. */
export const choice = (title: string, options: readonly [string, ...string[]], description: string): FieldSchema => ({
  type: 'string',
  title,
  description,
  xSvcType: 'select',
  enum: [...options],
  default: options[0],
})
export const number = (title: string) => nullable(title, { type: ['number', 'null'], xSvcType: 'number' })
export const currency = (title: string) => nullable(title, { type: ['number', 'null'], xSvcType: 'currency' })
export const checkbox = (title: string) => nullable(title, { type: ['boolean', 'null'], xSvcType: 'checkbox' })
/** A switch that is off until it is turned on. */
export const flag = (title: string): FieldSchema => ({ type: 'boolean', title, xSvcType: 'checkbox', default: false })
export const richText = (title: string, more: Partial<FieldSchema> = {}) =>
  nullable(title, { type: ['object', 'null'], xSvcType: 'rich_text', ...more })
export const location = (title: string) => nullable(title, { type: ['string', 'object', 'null'], xSvcType: 'location' })
export const personName = (title: string) =>
  nullable(title, { type: ['object', 'null'], xSvcType: 'person_name', xSvcPrimary: true })

type CollectionType = 'email_addresses' | 'phone_numbers' | 'domains' | 'labels' | 'participants' | 'multi_select'

export const collection = (title: string, xSvcType: CollectionType, more: Partial<FieldSchema> = {}): FieldSchema => ({
  type: ['object', 'null'],
  title,
  xSvcType,
  ...more,
})

export const userReference = (title: string) => nullable(title, { xSvcType: 'user_reference' })

/** A relationship: `field` is its counterpart on the other object. */
export const relationship = (title: string, kind: RelationshipKind, entity: string, field: string): FieldSchema => ({
  type: kind === 'many-to-one' || kind === 'one-to-one' ? ['string', 'null'] : ['array', 'null'],
  title,
  xSvcType: 'reference',
  xSvcRelationship: { kind, entity, field },
})
