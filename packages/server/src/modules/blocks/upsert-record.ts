import { z } from 'zod'
import { writeStrategies } from '@kontor/contract'
import { invariant, defined } from '../../lib/guards.ts'
import { block } from '../plugins/index.ts'
import { fittedAttributes } from './fitted-attributes.ts'
import { foundRecord, toFound } from './found-record.ts'
import { attributes, object } from './inputs.ts'
import { changing, rehearsalOf, rehearsed } from './rehearsal.ts'

export const upsertRecord = block({
  id: 'svc:upsert:record',
  title: 'Create or update a record',
  description:
    'Updates the record that has the same value in a unique field, or creates one. Omitted attributes, and those ' +
    'whose variable is missing, are unchanged; collections are united, null clears.',
  types: ['workflow'],
  isOneCommit: true,
  sparse: ['attributes'],
  input: z.strictObject({
    object: object.meta({ description: 'The object of the record.', example: 'person' }),
    match_on: z.string().min(1).max(200).meta({ description: 'A unique field.', example: 'email_addresses' }),
    attributes: attributes.meta({
      description: 'Values by field name.',
      example: { email_addresses: { items: ['ada@example.com'] }, job_title: 'Countess' },
    }),
    meta: writeStrategies.optional().meta({
      description:
        'The write strategy by field if a record is found; by default collections are united and objects merged.',
    }),
  }),
  output: z.object({
    record: foundRecord,
    created: z.boolean().meta({ description: 'True if a record was created, false if one was found.' }),
    ...rehearsed,
  }),
  async run(context, { object: type, match_on, attributes: given, meta: strategies }) {
    const values = await fittedAttributes(context, type, given)
    // Many, since their answer says whether a record was created; a single one says it by its status.
    const output = await changing(context)(
      'records.createMany',
      {
        workspace: context.workspace.slug,
        object: type,
        body: {
          data: [{ type, attributes: values }],
          match_on,
          ...(strategies !== undefined && { meta: strategies }),
        },
      },
      (answer) => {
        invariant('data' in answer, 'one item that is refused refuses the whole request')
        const { data, meta } = answer
        return { record: toFound(defined(data[0])), created: meta.created === 1, ...rehearsalOf(meta) }
      },
    )
    return { state: 'done', output }
  },
})
