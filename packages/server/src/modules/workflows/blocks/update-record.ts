import { z } from 'zod'
import { block } from '../plugins/plugin.ts'
import { foundRecord, toFound } from './found-record.ts'
import { attributes, object, recordId } from './inputs.ts'
import { changing, changingRecord, rehearsalOf, rehearsed } from './rehearsal.ts'

const output = z.object({ record: foundRecord, ...rehearsed })

export const updateRecord = block({
  id: 'svc:update:record',
  title: 'Update a record',
  description: 'Changes attributes of a record; those that are absent stay, null clears.',
  types: ['workflow'],
  isOneCommit: true,
  input: z.strictObject({ object, record_id: recordId, attributes }),
  output,
  async run(context, { object: type, record_id: id, attributes: changes }) {
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
