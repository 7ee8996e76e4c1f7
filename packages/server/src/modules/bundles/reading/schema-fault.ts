import { dialectUrl, fieldsMax, objectSchemaDocument } from '@kontor/contract'
import { z } from 'zod'
import type { Row } from '../../../db/executor.ts'
import { isRecord } from '../../../lib/guards.ts'

const key = z.string().min(1).max(200)

const link = z.strictObject({ relationship: z.string().min(1).max(400), end: z.enum(['from_id', 'to_id']) })

const fieldKey = z.strictObject({ key, unique: key.optional(), index: key.optional(), link: link.optional() })

/** The names under which values are stored; the first versions of objects have none of their own. */
const keys = z.union([z.strictObject({}), z.strictObject({ object: key, fields: z.record(z.string(), fieldKey) })])

const schema = z.object({
  document: objectSchemaDocument.refine(
    ({ properties }) => Object.keys(properties).length <= fieldsMax,
    `An object has at most ${fieldsMax} fields.`,
  ),
  keys: keys.optional(),
})

/** Returns the fault of a schema that was read from a file: the server compiles what has the form of the contract. */
export function schemaFault({ document, keys: names }: Row): string | undefined {
  // Both are replaced by those of the server.
  const whole = { ...(isRecord(document) && document), $schema: dialectUrl, $id: dialectUrl }
  const issue = schema.safeParse({ document: whole, keys: names ?? undefined }).error?.issues[0]
  return issue && `The schema is wrong at /${issue.path.join('/')}: ${issue.message}`
}
