import { z } from 'zod'
import { exampleIds } from './example-ids.ts'
import { id, resourceIdentifier, timestamp } from './shared.ts'

const attributesOfRecord = z.looseObject({
  _id: id,
  _created_at: timestamp,
  _created_by: z.string().nullable(),
  _updated_at: timestamp,
  _updated_by: z.string().nullable(),
  _merged_ids: z
    .array(id)
    .optional()
    .meta({ description: 'Ids of all records that were merged into this one; absent if there are none.' }),
})

/** A record that another is linked to: its identifier, and itself where it was included. */
type RelatedRecord = {
  type: string
  id: string
  attributes?: z.infer<typeof attributesOfRecord> | undefined
  relationships?: Record<string, Related> | undefined
}

export type Related = {
  data: RelatedRecord | RelatedRecord[] | null
  meta?: { count: number; truncated?: true | undefined } | undefined
  links?: { next: string } | undefined
}

const relatedRecord: z.ZodType<RelatedRecord, RelatedRecord> = z
  .lazy(() =>
    resourceIdentifier.extend({
      attributes: attributesOfRecord.optional(),
      relationships: z.record(z.string(), related).optional(),
    }),
  )
  .meta({
    id: 'RelatedRecord',
    description: 'An identifier; with attributes and relationships where the record was included.',
  })

const related: z.ZodType<Related, Related> = z
  .object({
    data: z.union([relatedRecord, z.array(relatedRecord), z.null()]),
    meta: z
      .object({
        count: z.int().meta({ description: 'Number of linked records, omitted ones included.' }),
        truncated: z
          .literal(true)
          .optional()
          .meta({ description: 'True if there are more records than an include contains.' }),
      })
      .optional(),
    links: z.object({ next: z.string().meta({ description: 'URL of the complete list.' }) }).optional(),
  })
  .meta({ id: 'RelatedRecords' })

export const exampleAttributes = {
  name: { first_name: 'Grace', last_name: 'Hopper' },
  email_addresses: { items: ['grace@example.com'] },
  job_title: 'Rear admiral',
}

const exampleRecord = {
  type: 'person',
  id: exampleIds.person,
  attributes: {
    _id: exampleIds.person,
    ...exampleAttributes,
    _created_at: '2026-01-31T09:30:00.000Z',
    _created_by: exampleIds.admin,
    _updated_at: '2026-01-31T09:30:00.000Z',
    _updated_by: exampleIds.admin,
  },
  relationships: { company_id: { data: { type: 'company', id: exampleIds.company } } },
}

export const record = z
  .object({
    type: z.string().meta({ description: 'Name of the object.', example: 'person' }),
    id,
    attributes: attributesOfRecord,
    relationships: z.record(z.string(), related).meta({ description: 'The linked records, by relationship field.' }),
  })
  .meta({
    id: 'CrmRecord',
    description: 'A record of any object; its schema defines the attributes.',
    example: exampleRecord,
  })

export type RecordResource = z.infer<typeof record>

export const deletedRecord = record
  .extend({
    attributes: record.shape.attributes.extend({ _deleted_at: timestamp, _deleted_by: z.string().nullable() }),
  })
  .meta({ id: 'DeletedRecord', description: 'A record as it was when it was deleted.' })

export type DeletedResource = z.infer<typeof deletedRecord>

export const objectName = z.string().meta({ id: 'ObjectName', description: 'Name of the object.', example: 'person' })
