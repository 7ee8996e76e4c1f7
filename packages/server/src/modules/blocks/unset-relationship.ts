import { z } from 'zod'
import { block } from '../plugins/index.ts'
import { namedRecord, namedRecords, object } from './inputs.ts'
import { idOf, idsOf, otherObject } from './named-record.ts'
import { changing, changingRecord, rehearsalOf, rehearsed } from './rehearsal.ts'

const output = z.object({ ids: z.array(z.string()).nullable(), ...rehearsed })

/** A replacement of the links of a record by none, along a relationship of any kind. */
const byNone = [{ type: 'record', id: null }]

export const unsetRelationship = block({
  id: 'svc:unset-relationship',
  title: 'Remove a relationship',
  description: 'Removes links of a record; the records stay.',
  types: ['workflow'],
  isOneCommit: true,
  input: z.strictObject({
    object,
    record_id: namedRecord,
    relationship: z
      .string()
      .min(1)
      .max(200)
      .meta({ description: 'A relationship of the object.', example: 'company_id' }),
    ids: namedRecords
      .nullable()
      .default(null)
      .meta({ description: 'The records to unlink; by default all that are linked.' }),
  }),
  output,
  async run(context, { object: name, record_id: named, relationship, ids: others }) {
    const id = await idOf(context, name, named)
    const wanted = others && (await idsOf(context, await otherObject(context, name, relationship), others))
    const at = { workspace: context.workspace.slug, object: name, id, relationship }
    const data = wanted === null ? byNone : wanted.map((other) => ({ type: 'record', id: other }))
    const operation = wanted === null ? 'relationships.replace' : 'relationships.remove'
    const unset = (): Promise<z.infer<typeof output>> =>
      changing(context)(operation, { ...at, body: { data } }, (answer) => ({
        ids: wanted,
        ...('meta' in answer && rehearsalOf(answer.meta)),
      }))
    return { state: 'done', output: await changingRecord(context, id, unset, { ids: wanted, dry_run: true }) }
  },
})
