import { z } from 'zod'
import { block } from '../plugins/index.ts'
import { namedRecord, object } from './inputs.ts'
import { idOf } from './named-record.ts'
import { changing, changingRecord, rehearsalOf, rehearsed } from './rehearsal.ts'

const output = z.object({ record: z.object({ type: z.string(), id: z.string() }), ...rehearsed })

export const deleteRecord = block({
  id: 'svc:delete:record',
  title: 'Delete a record',
  description: 'Deletes a record; it can be restored for 30 days.',
  types: ['workflow'],
  isOneCommit: true,
  input: z.strictObject({ object, record_id: namedRecord }),
  output,
  async run(context, { object: type, record_id: named }) {
    const id = await idOf(context, type, named)
    const record = { type, id }
    const remove = (): Promise<z.infer<typeof output>> =>
      changing(context)('records.remove', { workspace: context.workspace.slug, object: type, id }, (answer) => ({
        record,
        ...('meta' in answer && rehearsalOf(answer.meta)),
      }))
    return { state: 'done', output: await changingRecord(context, id, remove, { record, dry_run: true }) }
  },
})
