import type { FieldSchema, NewObject } from '@kontor/contract'
import type { SchemaDocument } from '../../schemas/index.ts'
import { mayBePrimary } from './check-document.ts'

type Properties = Readonly<Record<string, FieldSchema>>

const nameField: FieldSchema = { type: ['string', 'null'], title: 'Name', xSvcType: 'text', xSvcPrimary: true }

/** Records are shown by their primary field: the one marked as such, else `name`, which is added if it is missing. */
function withPrimary(properties: Properties): Properties {
  if (Object.values(properties).some(({ xSvcPrimary }) => xSvcPrimary === true)) return properties
  const { name } = properties
  if (name === undefined) return { name: nameField, ...properties }
  return mayBePrimary(name) ? { ...properties, name: { ...name, xSvcPrimary: true } } : properties
}

/** The first document of an object. */
export const newDocument = (
  slug: string,
  { name, plural, description, icon, backgroundColor }: NewObject,
  properties: Properties,
): SchemaDocument => ({
  title: slug,
  type: 'object',
  xSvcNamespace: 'objects',
  xSvcLabel: { singular: name, plural },
  ...(description !== undefined && { xSvcAIDescription: description }),
  properties: withPrimary(properties),
  xSvcAccess: { default: 'edit' },
  ...((icon ?? backgroundColor) !== undefined && {
    xSvcPresentation: {
      ...(icon !== undefined && { icon }),
      ...(backgroundColor !== undefined && { backgroundColor }),
    },
  }),
})
