import type { z } from 'zod'
import type { schemaResource } from '@kontor/contract'
import type { StoredSchema } from './model.ts'

const dialectUrl = 'https://json-schema.org/draft/2020-12/schema'

/** `{schema_base}/schemas/entities/<object>`, where the base is the origin of the API's base URL. */
const schemaUrl = (baseUrl: string, object: string): string => `${new URL(baseUrl).origin}/schemas/entities/${object}`

export function presentSchema(baseUrl: string, schema: StoredSchema): z.input<typeof schemaResource> {
  const url = schemaUrl(baseUrl, schema.title)
  return { type: 'schema', id: url, attributes: { $schema: dialectUrl, $id: url, ...schema } as unknown as z.input<typeof schemaResource>['attributes'] }
}
