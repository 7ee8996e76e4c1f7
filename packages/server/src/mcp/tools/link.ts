import { z } from 'zod'
import { failure } from '../../kernel/errors.ts'
import { dryRun, id, object, writtenMax } from '../arguments.ts'
import { tool, type ToolContext } from '../tool.ts'
import { rehearsal } from '../written.ts'

const operations = {
  add: 'relationships.add',
  remove: 'relationships.remove',
  replace: 'relationships.replace',
} as const

export const link = tool({
  name: 'link',
  title: 'Link records',
  description:
    'Adds, removes or replaces links along a relationship field. Set to-one references with `update` instead.',
  uses: ['relationships.add', 'relationships.remove', 'relationships.replace'],
  input: z.strictObject({
    object,
    id,
    relationship: z.string().min(1).max(100).meta({ description: 'A relationship field, such as `people`.' }),
    action: z.enum(['add', 'remove', 'replace']).default('add'),
    ids: z.array(id).max(writtenMax).meta({ description: 'Records to link, of the object that the field refers to.' }),
    dry_run: dryRun,
  }),
  async run(context, { object: name, id: recordId, relationship, action, ids, dry_run: isDryRun }) {
    const type = await relatedObject(context, name, relationship)
    const answer = await context.call(operations[action], {
      object: name,
      id: recordId,
      relationship,
      body: { data: ids.map((one) => ({ type, id: one })) },
      ...(isDryRun && { dry_run: true }),
    })
    if (isDryRun) return rehearsal(('meta' in answer ? answer.meta.diff : undefined) ?? [])
    return `Done: ${action} ${ids.length} in \`${relationship}\` of ${name} ${recordId}. Existing ones are unchanged.`
  },
})

async function relatedObject({ schemas }: ToolContext, name: string, relationship: string): Promise<string> {
  const schema = await schemas.find(name)
  const related = schema?.properties[relationship]?.xSvcRelationship?.entity
  if (related !== undefined) return related
  const relationships = Object.entries(schema?.properties ?? {}).filter(([, field]) => field.xSvcRelationship)
  throw failure('unknown_field', `${name} has no relationship "${relationship}" that you may see.`, {
    meta: { allowed: relationships.map(([field]) => field) },
  })
}
