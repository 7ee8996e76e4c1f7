import { z } from 'zod'
import { domain } from './endpoint.ts'
import { searchCountedMax, totalCapped } from './paging.ts'
import { record } from './record.ts'

/** Characters of a search. */
export const searchCharactersMax = 200

/** Accents alone are no word. */
const hasWord = /[\p{L}\p{N}\p{So}]|(?![\u0300-\u036f])\p{M}/u

export const searchText = z
  .string()
  .max(searchCharactersMax)
  .refine((text) => hasWord.test(text), 'Must contain a letter or a digit.')
  .meta({
    description:
      'Words that must all occur in a record, in whichever of its searchable fields, regardless of case and ' +
      'accents. A word of three characters or more is found anywhere, also within another; a shorter one at ' +
      'the beginning of a word.',
    example: 'grace hop',
  })

/** Readers do not page through hits: they add a word. */
export const searchRecordsMax = 50

/** Search across objects. */
export const search = domain({
  query: {
    method: 'POST',
    safe: true,
    replica: true,
    path: '/workspaces/{workspace}/search',
    caller: 'any',
    scope: 'records:read',
    summary: 'Search records',
    description:
      'Records of any object that contain all the words, the best match first: words in the primary ' +
      'field count more than in others, and whole words more than beginnings and parts; then by the ' +
      'primary field and id. New records are found immediately.',
    body: z.strictObject({
      query: searchText,
      entities: z
        .array(z.string().min(1).max(64))
        .min(1)
        .max(200)
        .optional()
        .meta({
          description: 'Names of the objects to search; by default all that the credential may read.',
          example: ['person', 'company'],
        }),
      limit: z.int().min(1).max(searchRecordsMax).default(20).meta({ description: 'Number of records to return.' }),
    }),
    response: z
      .object({
        data: z.array(record),
        meta: z
          .object({
            total_records: z.int().meta({ description: `Records found, up to ${searchCountedMax}.` }),
            total_capped: totalCapped,
          })
          .meta({ id: 'SearchMeta' }),
      })
      .meta({ id: 'SearchAnswer' }),
    errors: ['unknown_value'],
    examples: { body: { query: 'grace hop', entities: ['person'] } },
  },
})
