import { z } from 'zod'
import { exampleIds } from '@kontor/contract'
import { block, type Block } from '../plugins/index.ts'
import { namedRecords, object } from './inputs.ts'
import { idsOf } from './named-record.ts'
import { sending, unrehearsed } from './rehearsal.ts'

const entriesBlock = (
  operation: 'lists.addRecords' | 'lists.removeRecords',
  facts: Pick<Block, 'id' | 'title' | 'description'>,
): Block =>
  block({
    ...facts,
    types: ['workflow'],
    isOneCommit: true,
    input: z.strictObject({
      object,
      list_id: z
        .string()
        .min(1)
        .max(64)
        .meta({ description: 'A static list of the object.', example: exampleIds.list }),
      record_ids: namedRecords.meta({ description: 'Records of the object.' }),
    }),
    output: unrehearsed.extend({ list_id: z.string(), record_ids: z.array(z.string()) }),
    async run(context, { object: type, list_id, record_ids: named }) {
      const record_ids = await idsOf(context, type, named)
      const body = { data: record_ids.map((id) => ({ type, id })) }
      const at = { workspace: context.workspace.slug, object: type, list: list_id }
      return { state: 'done', output: await sending(context, operation, { ...at, body }, { list_id, record_ids }) }
    },
  })

export const addToList = entriesBlock('lists.addRecords', {
  id: 'svc:add-to-list',
  title: 'Add to a list',
  description: 'Adds records to a static list. Records that are already in the list are unchanged.',
})

export const removeFromList = entriesBlock('lists.removeRecords', {
  id: 'svc:remove-from-list',
  title: 'Remove from a list',
  description: 'Removes records from a static list; the records stay.',
})
