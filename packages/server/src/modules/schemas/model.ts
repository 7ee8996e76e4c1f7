import type { accessDefaults, FieldSchema } from '@kontor/contract'

/** A schema document as it is stored: `$schema` and `$id` are added when it is answered with. */
export type StoredSchema = {
  /** Slug of the object. */
  readonly title: string
  readonly type: 'object'
  readonly xSvcNamespace: string
  readonly xSvcLabel: { readonly singular: string; readonly plural: string }
  readonly xSvcAIDescription?: string
  readonly properties: Readonly<Record<string, FieldSchema>>
  readonly required?: readonly string[]
  /** Nobody writes records of this object through the API. */
  readonly readOnly?: boolean
  readonly xSvcAccess: { readonly default: (typeof accessDefaults)[number] }
}
