import { z } from 'zod'
import { block } from '../plugins/index.ts'
import { fittedAttributes } from './fitted-attributes.ts'
import { foundRecord, toFound } from './found-record.ts'
import { attributes as values, object } from './inputs.ts'
import { changing, rehearsalOf, rehearsed } from './rehearsal.ts'

export const createRecord = block({
  id: 'svc:create:record',
  title: 'Create a record',
  description: 'Creates a record of an object. An attribute whose value is one missing variable is omitted.',
  types: ['workflow'],
  isOneCommit: true,
  sparse: ['attributes'],
  input: z.strictObject({ object, attributes: values }),
  output: z.object({ record: foundRecord, ...rehearsed }),
  async run(context, input) {
    const attributes = await fittedAttributes(context, input.object, input.attributes)
    const output = await changing(context)(
      'records.create',
      {
        workspace: context.workspace.slug,
        object: input.object,
        body: { data: { type: input.object, attributes } },
      },
      ({ data, meta }) => ({ record: toFound(data), ...rehearsalOf(meta) }),
    )
    return { state: 'done', output }
  },
})
