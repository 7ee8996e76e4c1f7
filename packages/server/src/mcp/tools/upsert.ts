import { z } from 'zod'
import { attributes, dryRun, object, writtenMax } from '../arguments.ts'
import { tool } from '../tool.ts'
import { rehearsal, writtenRecords } from '../written.ts'

export const upsert = tool({
  name: 'upsert',
  title: 'Create or update records',
  description:
    'Creates records, or merges values into those that have the same value of a unique field. Sending it again ' +
    'changes nothing.',
  uses: ['records.createMany', 'records.updateMany'],
  input: z.strictObject({
    object,
    match_on: z.string().min(1).max(200).meta({ description: 'A unique field, such as `email_addresses`.' }),
    records: z.array(attributes).min(1).max(writtenMax),
    dry_run: dryRun,
  }),
  async run({ call, schemas }, { object: name, match_on: matchOn, records, dry_run: isDryRun }) {
    const body = { data: records.map((values) => ({ type: name, attributes: values })), match_on: matchOn }
    const answer = await call('records.createMany', { object: name, body, ...(isDryRun && { dry_run: true }) })
    if (!('data' in answer)) return ''
    const { created, updated, unchanged, diff } = answer.meta
    if (isDryRun) return rehearsal(diff ?? [])
    const written = await writtenRecords(schemas, name, answer.data, records)
    return `Created ${created}, updated ${updated}, unchanged ${unchanged}.\n${written}`
  },
})
