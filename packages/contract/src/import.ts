import { z } from 'zod'
import { dateOrders } from './cells/notation.ts'
import { previewRowsMax } from './preview-rows.ts'
import { objectName } from './record.ts'
import { countryCode, id, timestamp } from './shared.ts'

export const importStates = ['queued', 'running', 'completed', 'failed', 'cancelled'] as const

export type ImportState = (typeof importStates)[number]

export const importFormats = ['csv', 'ndjson', 'xlsx', 'vcard'] as const

export type ImportFormat = (typeof importFormats)[number]

export const importEncodings = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const

export type ImportEncoding = (typeof importEncodings)[number]

/** Entries of a mapping: as many columns as any former CRM writes. */
const mappingMax = 1000

const textMax = 1000

const mapping = z
  .array(
    z
      .strictObject({
        source: z.string().min(1).max(textMax).meta({
          description: 'A column, or a text with columns in braces: `{First} {Last}`. In NDJSON, a member.',
          example: 'E-mail',
        }),
        field: z
          .string()
          .min(1)
          .max(textMax)
          .meta({
            description:
              'The field that it fills, a part of it (`name.first_name`), or a unique field of a linked record ' +
              '(`company_id.domains`).',
            example: 'email_addresses',
          }),
      })
      .meta({ id: 'ImportMapping', description: 'A column, and the field that it fills.' }),
  )
  .min(1)
  .max(mappingMax)

/** The body that starts an import. */
export const importBody = z
  .strictObject({
    object: objectName,
    upload_id: id.meta({ description: 'The id of the upload.' }),
    format: z
      .enum(importFormats)
      .default('csv')
      .meta({
        description:
          '`xlsx` is a workbook of up to 32 MiB; `vcard` has cards of versions 2.1 to 4.0, whose columns are those ' +
          'that a preview shows. The options `create_missing` and `clear_empty` are not for NDJSON; `dates`, ' +
          '`decimal` and `separator` are for CSV and XLSX, `delimiter` is for CSV, and `sheet` for XLSX.',
      }),
    sheet: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .meta({ description: 'The sheet of a workbook; by default the first that is not hidden.', example: 'Contacts' }),
    relationship: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .meta({
        description:
          'Imports links instead of records: the field of `object` along which each row links two records that ' +
          'exist, for relationships with many records at both ends. `mapping` names the ends by the object and by ' +
          'the field, with a unique field or without (an id): `person.email_addresses` and `deals.name`.',
        example: 'deals',
      }),
    mapping: mapping.optional().meta({
      description:
        'The fields that columns fill; several columns can fill a field with several items. Required but for NDJSON, ' +
        'where without it the members of each line are fields of the object.',
    }),
    match_on: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .meta({
        description:
          'A unique field: a record that has the same value is updated, as in bulk creations. Without it, each row ' +
          'creates a record.',
        example: 'email_addresses',
      }),
    clear_empty: z
      .boolean()
      .default(false)
      .meta({ description: 'True if an empty cell empties its field; by default it changes nothing.' }),
    create_missing: z
      .boolean()
      .default(false)
      .meta({
        description:
          'True to create linked records whose value finds none, once for each value, with their other mapped fields ' +
          '(`company_id.name`). By default such rows are rejected.',
      }),
    dry_run: z.boolean().default(false).meta({ description: 'True to check and count all rows, and to write none.' }),
    default_country: countryCode.optional().meta({
      description: 'The country of phone numbers without a country code; by default the setting `default_country`.',
      example: 'CH',
    }),
    dates: z
      .enum(dateOrders)
      .default('ymd')
      .meta({ description: 'Order of day, month and year in dates such as 31.12.2026.' }),
    decimal: z.enum(['.', ',']).default('.').meta({ description: 'The character before decimals.' }),
    separator: z
      .string()
      .max(10)
      .default(';')
      .meta({ description: 'The text between the items of one cell; empty if each cell is one item.' }),
    delimiter: z
      .string()
      .regex(/^[^"\r\n]$/, 'must be one character, and neither a quotation mark nor a line break.')
      .optional()
      .meta({ description: 'The character between cells; by default found in the first line.', example: ';' }),
    encoding: z
      .enum(importEncodings)
      .optional()
      .meta({ description: 'By default found in the beginning of the file. Latin-1 is read as `windows-1252`.' }),
  })
  .meta({ id: 'ImportBody' })

export type ImportBody = z.output<typeof importBody>

/** The body of a preview. */
export const importPreviewBody = importBody
  .omit({ dry_run: true })
  .extend({
    mapping: mapping.optional().meta({
      description: 'The fields that columns fill; without it, a mapping is proposed and used.',
    }),
    dates: z.enum(dateOrders).optional().meta({
      description: 'Order of day, month and year; by default found in the first rows.',
    }),
    decimal: z.enum(['.', ',']).optional().meta({
      description: 'The character before decimals; by default found in the first rows.',
    }),
  })
  .meta({ id: 'ImportPreviewBody' })

export type ImportPreviewBody = z.output<typeof importPreviewBody>

const previewColumn = z.object({
  name: z.string().meta({ example: 'E-mail' }),
  samples: z.array(z.string()).meta({ description: 'Its first texts, shortened.', example: ['ada@example.com'] }),
  fields: z.array(z.string()).meta({
    description: 'The fields that it fills by `mapping`; empty if the column is not imported.',
    example: ['email_addresses'],
  }),
})

/** Columns whose texts can be read in several ways. */
const ambiguity = z
  .object({
    columns: z.array(z.string()).meta({ description: 'The columns whose texts can be read in several ways.' }),
    option: z.enum(['dates', 'decimal']).meta({ description: 'The member of the body that decides.' }),
    values: z.array(z.string()).meta({ description: 'Its possible values.', example: ['dmy', 'mdy'] }),
    detail: z.string(),
  })
  .meta({ id: 'ImportAmbiguity' })

export type ImportAmbiguity = z.infer<typeof ambiguity>

const previewRow = z
  .object({
    line: z.int().meta({ description: 'The line of the file that the row ends on; in a workbook, the row.' }),
    outcome: z.enum(['created', 'updated', 'unchanged', 'rejected']),
    record_id: id.nullable().meta({ description: 'The record that `match_on` found.' }),
    attributes: z
      .record(z.string(), z.unknown())
      .nullable()
      .meta({ description: 'The record as it would be stored; null for a rejected row.' }),
    reason: z.string().nullable().meta({ description: 'Why the row would be rejected.' }),
  })
  .meta({ id: 'ImportPreviewRow' })

export type ImportPreviewRow = z.infer<typeof previewRow>

export const importPreview = z
  .object({
    object: objectName,
    format: z.enum(importFormats),
    encoding: z.enum(importEncodings),
    delimiter: z.string().nullable(),
    sheet: z.string().nullable().meta({ description: 'The sheet that is read; null for other formats.' }),
    sheets: z.array(z.string()).meta({ description: 'All sheets of a workbook.' }),
    dates: z.enum(dateOrders),
    decimal: z.enum(['.', ',']),
    columns: z.array(previewColumn),
    mapping: z.array(mapping.element).meta({ description: 'The mapping that was sent, or the proposed one.' }),
    match_on: z.string().nullable().meta({ description: 'The field that was sent, or a unique one that is mapped.' }),
    ambiguities: z.array(ambiguity).meta({ description: 'Decide these before you import.' }),
    rows: z.array(previewRow).meta({ description: `The first rows, up to ${previewRowsMax}.` }),
  })
  .meta({ id: 'ImportPreview' })

export type ImportPreview = z.infer<typeof importPreview>

const rows = (description: string) => z.int().meta({ description })

export const importResource = z
  .object({
    type: z.literal('import'),
    id: id.meta({ description: 'Also the id of its async task.' }),
    attributes: z.object({
      _id: id,
      object: objectName,
      file_name: z.string().meta({ example: 'contacts.csv' }),
      format: z.enum(importFormats),
      encoding: z.enum(importEncodings),
      delimiter: z.string().nullable().meta({ description: 'The character between cells; null but for CSV.' }),
      sheet: z.string().nullable().meta({ description: 'The sheet of a workbook; null for other formats.' }),
      mapping: mapping.nullable(),
      relationship: z.string().nullable().meta({ description: 'The relationship of an import of links.' }),
      match_on: z.string().nullable(),
      dry_run: z.boolean(),
      state: z.enum(importStates),
      rows_total: z.int().nullable().meta({ description: 'Rows of the file; null until they are counted.' }),
      rows_done: rows('Rows that have been processed.'),
      created: rows('Rows that created a record, or that link two records.'),
      updated: rows('Rows that changed a record that `match_on` found.'),
      unchanged: rows('Rows that found a record as it should be.'),
      rejected: rows('Rows that were not imported.'),
      created_linked: z.record(z.string(), z.int()).meta({
        description: 'Linked records that were created because they were missing, by object.',
        example: { company: 12 },
      }),
      error: z
        .string()
        .nullable()
        .meta({ description: 'Why it failed; rows before that stay imported.', example: null }),
      _created_at: timestamp,
      _created_by: id,
      started_at: timestamp.nullable(),
      ended_at: timestamp.nullable(),
    }),
  })
  .meta({ id: 'Import', description: 'The import of one file. Kept for 90 days.' })

export type ImportResource = z.infer<typeof importResource>
