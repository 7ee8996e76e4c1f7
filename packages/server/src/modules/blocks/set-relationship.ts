import { z } from 'zod'
import { isList } from '../../lib/guards.ts'
import { block, StepFailure, type BlockContext } from '../plugins/index.ts'
import { namedRecord, namedRecords, object } from './inputs.ts'
import { idOf, idsOf, otherObject } from './named-record.ts'
import { changing, changingRecord, rehearsalOf, rehearsed } from './rehearsal.ts'

const input = z.strictObject({
  object,
  record_id: namedRecord,
  relationship: z
    .string()
    .min(1)
    .max(200)
    .meta({ description: 'A relationship of the object.', example: 'company_id' }),
  ids: namedRecords.meta({
    description: 'The records to link; only one if the relationship is to one record.',
    example: ['{{trigger.state.event.object.data.company_id}}'],
  }),
})

const output = z.object({ ids: z.array(z.string()), ...rehearsed })

export const setRelationship = block({
  id: 'svc:set-relationship',
  title: 'Set a relationship',
  description:
    'Links a record to others. A relationship to one record gets this link instead of its current one; a ' +
    'relationship to many gets it in addition.',
  types: ['workflow'],
  isOneCommit: true,
  input,
  output,
  async run(context, { object: name, record_id: named, relationship, ids: others }) {
    const id = await idOf(context, name, named)
    const ids = await idsOf(context, await otherObject(context, name, relationship), others)
    const set = async (): Promise<z.infer<typeof output>> => {
      const operation = (await isToMany(context, name, id, relationship))
        ? 'relationships.add'
        : 'relationships.replace'
      const body = { data: ids.map((other) => ({ type: 'record', id: other })) }
      return changing(context)(
        operation,
        { workspace: context.workspace.slug, object: name, id, relationship, body },
        (answer) => ({ ids, ...('meta' in answer && rehearsalOf(answer.meta)) }),
      )
    }
    const imagined = { ids, dry_run: true as const }
    return { state: 'done', output: await changingRecord(context, id, set, imagined) }
  },
})

async function isToMany(
  { call, workspace }: BlockContext,
  name: string,
  id: string,
  relationship: string,
): Promise<boolean> {
  const asked = { workspace: workspace.slug, object: name, id, include: [relationship] }
  const related = (await call('records.get', asked)).data.relationships[relationship]
  if (related === undefined) throw new StepFailure('not_found', `${name} has no relationship "${relationship}".`)
  return isList(related.data)
}
