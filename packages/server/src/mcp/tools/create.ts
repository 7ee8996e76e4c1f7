import { z } from 'zod'
import { attributes, dryRun, idempotencyKey, object, underKey, writtenMax } from '../arguments.ts'
import { tool } from '../tool.ts'
import { rehearsal, writtenRecords } from '../written.ts'

export const create = tool({
  name: 'create',
  title: 'Create records',
  description: 'Creates records of an object, all or none. Prefer `upsert` where a unique field is known.',
  uses: ['records.createMany'],
  input: z.strictObject({
    object,
    records: z.array(attributes).min(1).max(writtenMax),
    dry_run: dryRun,
    idempotency_key: idempotencyKey,
  }),
  async run({ call, schemas }, { object: name, records, dry_run: isDryRun, idempotency_key: key }) {
    const body = { data: records.map((values) => ({ type: name, attributes: values })) }
    const answer = await call(
      'records.createMany',
      { object: name, body, ...(isDryRun && { dry_run: true }) },
      underKey(key),
    )
    if (!('data' in answer)) return ''
    if (isDryRun) return rehearsal(answer.meta.diff ?? [])
    const written = await writtenRecords(schemas, name, answer.data, records)
    return `Created ${answer.data.length}.\n${written}`
  },
})
