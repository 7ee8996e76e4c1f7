import { z } from 'zod'
import { id } from './shared.ts'

const matchValue = z.union([z.string().min(1), z.number(), z.strictObject({ items: z.array(z.string()).min(1) })])

/** Names a record by a value that it alone has. */
export const recordMatch = z
  .strictObject({
    match: z
      .record(z.string(), matchValue)
      .refine((fields) => Object.keys(fields).length === 1, 'Must name one unique field.')
      .meta({ minProperties: 1, maxProperties: 1 }),
  })
  .meta({
    id: 'RecordMatch',
    description:
      'Names a record by the value of one unique field, if the caller may read it; for a collection, any ' +
      'one item. If no record has the value, the response is 422; if several match, 409.',
    example: { match: { domains: 'navy.example.com' } },
  })

export type RecordMatch = z.infer<typeof recordMatch>

/** The reason why a value names no record, in the words of the caller: a record that may not be seen is missing too. */
export function noRecordWith(entity: string, field: string, value: RecordMatch['match'][string]): string {
  const texts = typeof value === 'object' ? value.items : [String(value)]
  const quoted = texts.map((text) => `"${text.length > shownMax ? `${text.slice(0, shownMax)}…` : text}"`)
  return `There is no ${entity} with ${field} ${quoted.join(', ')} that you may see.`
}

/** Returns whether a text has such a reason. */
export const hasNoRecordWith = (text: string): boolean => /There is no \S+ with \S+ ".*" that you may see\./.test(text)

/** Characters of a value that an error repeats. */
const shownMax = 100

/** The id of a record, or what it is found by. */
export const recordReference = z
  .union([id, recordMatch])
  .meta({ id: 'RecordReference', description: 'A record: its id, or the value of a unique field of it.' })

export type RecordReference = z.infer<typeof recordReference>
