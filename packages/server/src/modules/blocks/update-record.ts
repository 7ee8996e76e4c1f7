import { z } from 'zod'
import { block } from '../plugins/index.ts'
import { fittedAttributes } from './fitted-attributes.ts'
import { foundRecord, toFound } from './found-record.ts'
import { attributes, namedRecord, object } from './inputs.ts'
import { idOf } from './named-record.ts'
import { changing, changingRecord, rehearsalOf, rehearsed } from './rehearsal.ts'

const output = z.object({ record: foundRecord, ...rehearsed })

export const updateRecord = block({
  id: 'svc:update:record',
  title: 'Update a record',
  description:
    'Changes attributes of a record. Omitted attributes, and those whose variable is missing, are unchanged; null ' +
    'clears.',
  types: ['workflow'],
  isOneCommit: true,
  sparse: ['attributes'],
  input: z.strictObject({ object, record_id: namedRecord, attributes }),
  output,
  async run(context, { object: type, record_id: named, attributes: given }) {
    const id = await idOf(context, type, named)
    const changes = await fittedAttributes(context, type, given)
    const update = (): Promise<z.infer<typeof output>> =>
      changing(context)(
        'records.update',
        { workspace: context.workspace.slug, object: type, id, body: { data: { type, attributes: changes } } },
        ({ data, meta }) => ({ record: toFound(data), ...rehearsalOf(meta) }),
      )
    const imagined = { record: { type, id, attributes: changes }, dry_run: true as const }
    return { state: 'done', output: await changingRecord(context, id, update, imagined) }
  },
})
