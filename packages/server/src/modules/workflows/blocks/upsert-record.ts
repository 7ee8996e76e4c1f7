import { z } from 'zod'
import { defined } from '../../../lib/guards.ts'
import { invariant } from '../../../lib/invariant.ts'
import { block } from '../plugins/plugin.ts'
import { foundRecord, toFound } from './found-record.ts'
import { attributes, object } from './inputs.ts'
import { changing, rehearsalOf, rehearsed } from './rehearsal.ts'

export const upsertRecord = block({
  id: 'svc:upsert:record',
  title: 'Create or update a record',
  description: 'Updates the record that has the same value in a unique field, or creates one.',
  types: ['workflow'],
  isOneCommit: true,
  input: z.strictObject({
    object,
    match_on: z.string().min(1).max(200).meta({ description: 'A unique field.', example: 'email_addresses' }),
    attributes,
  }),
  output: z.object({
    record: foundRecord,
    created: z.boolean().meta({ description: 'False where a record was found.' }),
    ...rehearsed,
  }),
  async run(context, { object: type, match_on, attributes: values }) {
    // Many, since their answer says whether a record was created; a single one says it by its status.
    const output = await changing(context)(
      'records.createMany',
      { workspace: context.workspace.slug, object: type, body: { data: [{ type, attributes: values }], match_on } },
      (answer) => {
        invariant('data' in answer, 'one item that is refused refuses the whole request')
        const { data, meta } = answer
        return { record: toFound(defined(data[0])), created: meta.created === 1, ...rehearsalOf(meta) }
      },
    )
    return { state: 'done', output }
  },
})
