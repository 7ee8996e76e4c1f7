import type { Change } from '@kontor/contract'
import { z } from 'zod'
import { attributes, dryRun, id, object, writtenMax } from '../arguments.ts'
import { tool } from '../tool.ts'
import { rehearsal, writtenRecords } from '../written.ts'

export const update = tool({
  name: 'update',
  title: 'Update records',
  description: 'Changes fields of records, all or none. Omitted fields are unchanged.',
  uses: ['records.updateMany', 'records.update'],
  input: z.strictObject({
    object,
    records: z.array(z.strictObject({ id, attributes })).min(1).max(writtenMax),
    dry_run: dryRun,
  }),
  async run({ call, schemas }, { object: name, records, dry_run: isDryRun }) {
    if (isDryRun) {
      const changes: Change[] = []
      for (const { id: recordId, attributes: values } of records) {
        const body = { data: { type: name, attributes: values } }
        const { meta } = await call('records.update', { object: name, id: recordId, dry_run: true, body })
        changes.push(...(meta?.diff ?? []).map((change) => ({ ...change, path: [recordId, ...change.path] })))
      }
      return rehearsal(changes)
    }
    const data = records.map((record) => ({ type: name, ...record }))
    const answer = await call('records.updateMany', { object: name, body: { data } })
    const written = await writtenRecords(
      schemas,
      name,
      answer.data,
      records.map(({ attributes: values }) => values),
    )
    return `Updated ${answer.data.length}.\n${written}`
  },
})
