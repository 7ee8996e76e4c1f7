import { dialectUrl, type Output, type schemas } from '@kontor/contract'
import { resource } from '../../kernel/resource.ts'
import type { SchemaDocument, StoredSchema } from './model.ts'

/** `{schema_base}/schemas/entities/<object>`, where the base is the origin of the API's base URL. */
export const schemaUrl = (baseUrl: string, object: string): string =>
  `${new URL(baseUrl).origin}/schemas/entities/${object}`

type SchemaResource = Output<typeof schemas.get>['data']

export function presentSchema(baseUrl: string, { document }: Pick<StoredSchema, 'document'>): SchemaResource {
  const url = schemaUrl(baseUrl, document.title)
  return resource('schema', url, named(document, url))
}

/** Its members in the order in which they were written. */
function named(document: SchemaDocument, url: string): SchemaResource['attributes'] {
  const first = {
    ...(document.$schema === undefined && { $schema: dialectUrl }),
    ...(document.$id === undefined && { $id: url }),
  }
  return { ...first, ...document, $schema: dialectUrl, $id: url }
}
