import { z } from 'zod'
import { block } from '../plugins/plugin.ts'
import { foundRecord, toFound } from './found-record.ts'
import { attributes, object } from './inputs.ts'
import { changing, rehearsalOf, rehearsed } from './rehearsal.ts'

export const createRecord = block({
  id: 'svc:create:record',
  title: 'Create a record',
  description: 'Creates a record of an object.',
  types: ['workflow'],
  isOneCommit: true,
  input: z.strictObject({ object, attributes }),
  output: z.object({ record: foundRecord, ...rehearsed }),
  async run(context, input) {
    const output = await changing(context)(
      'records.create',
      {
        workspace: context.workspace.slug,
        object: input.object,
        body: { data: { type: input.object, attributes: input.attributes } },
      },
      ({ data, meta }) => ({ record: toFound(data), ...rehearsalOf(meta) }),
    )
    return { state: 'done', output }
  },
})
