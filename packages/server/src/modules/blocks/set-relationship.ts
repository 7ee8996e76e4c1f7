import { z } from 'zod'
import { isList } from '../../lib/guards.ts'
import { block, StepFailure, type BlockContext } from '../plugins/index.ts'
import { ids, object, recordId } from './inputs.ts'
import { changing, changingRecord, rehearsalOf, rehearsed } from './rehearsal.ts'

const input = z.strictObject({
  object,
  record_id: recordId,
  relationship: z
    .string()
    .min(1)
    .max(200)
    .meta({ description: 'A relationship of the object.', example: 'company_id' }),
  ids: ids.meta({
    description: 'The records to link; one where the relationship is to one record.',
    example: ['{{trigger.state.event.object.data.company_id}}'],
  }),
})

const output = z.object({ ids: z.array(z.string()), ...rehearsed })

export const setRelationship = block({
  id: 'svc:set-relationship',
  title: 'Set a relationship',
  description:
    'Links a record to others. Along a relationship to one record the link replaces the one that was there; along ' +
    'one to many, links are added.',
  types: ['workflow'],
  isOneCommit: true,
  input,
  output,
  async run(context, given) {
    const set = async (): Promise<z.infer<typeof output>> => {
      const operation = (await isToMany(context, given)) ? 'relationships.add' : 'relationships.replace'
      const { object: name, record_id: id, relationship } = given
      const body = { data: given.ids.map((other) => ({ type: 'record', id: other })) }
      return changing(context)(
        operation,
        { workspace: context.workspace.slug, object: name, id, relationship, body },
        (answer) => ({ ids: given.ids, ...('meta' in answer && rehearsalOf(answer.meta)) }),
      )
    }
    const imagined = { ids: given.ids, dry_run: true as const }
    return { state: 'done', output: await changingRecord(context, given.record_id, set, imagined) }
  },
})

async function isToMany(
  { call, workspace }: BlockContext,
  { object: name, record_id: id, relationship }: z.infer<typeof input>,
): Promise<boolean> {
  const asked = { workspace: workspace.slug, object: name, id, include: [relationship] }
  const related = (await call('records.get', asked)).data.relationships[relationship]
  if (related === undefined) throw new StepFailure('not_found', `${name} has no relationship "${relationship}".`)
  return isList(related.data)
}
