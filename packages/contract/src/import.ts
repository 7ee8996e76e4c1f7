import { z } from 'zod'
import { dateOrders } from './cells/notation.ts'
import { objectName } from './record.ts'
import { countryCode, id, timestamp } from './shared.ts'

export const importStates = ['queued', 'running', 'completed', 'failed', 'cancelled'] as const

export type ImportState = (typeof importStates)[number]

export const importFormats = ['csv', 'ndjson'] as const

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
    format: z.enum(importFormats).default('csv'),
    mapping: mapping.optional().meta({
      description:
        'The fields that columns fill; several columns can fill a field with several items. Required for CSV. ' +
        'Without it, the members of each line of NDJSON are fields of the object.',
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
      .enum([',', ';', '\t', '|'])
      .optional()
      .meta({ description: 'The character between cells; by default found in the first line.' }),
    encoding: z
      .enum(importEncodings)
      .optional()
      .meta({ description: 'By default found in the beginning of the file. Latin-1 is read as `windows-1252`.' }),
  })
  .meta({ id: 'ImportBody' })

export type ImportBody = z.output<typeof importBody>

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
      delimiter: z.string().nullable().meta({ description: 'The character between cells; null for NDJSON.' }),
      mapping: mapping.nullable(),
      match_on: z.string().nullable(),
      dry_run: z.boolean(),
      state: z.enum(importStates),
      rows_total: z.int().nullable().meta({ description: 'Rows of the file; null until they are counted.' }),
      rows_done: rows('Rows that have been processed.'),
      created: rows('Rows that created a record.'),
      updated: rows('Rows that changed a record that `match_on` found.'),
      unchanged: rows('Rows that found a record as it should be.'),
      rejected: rows('Rows that were not imported.'),
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
