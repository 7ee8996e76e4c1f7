import { z } from 'zod'
import { failure } from '../../kernel/errors.ts'
import { asData, table } from '../../markdown/index.ts'
import { id, object, paging, writtenMax } from '../arguments.ts'
import { readCursor } from '../cursor.ts'
import { columnsOf, recordTable } from '../record-table.ts'
import { tool, type ToolContext } from '../tool.ts'

const input = z.strictObject({
  action: z.enum(['list', 'read', 'create', 'add', 'remove']),
  object: object.optional().meta({ description: 'Required for all actions but `list`.' }),
  list: id.optional().meta({ description: 'List id: required for `read`, `add` and `remove`.' }),
  title: z.string().max(200).optional().meta({ description: 'For `create`, which makes a static list.' }),
  ids: z.array(id).max(writtenMax).default([]).meta({ description: 'Records to create it with, add or remove.' }),
  ...paging,
})

type Input = z.output<typeof input>

export const lists = tool({
  name: 'lists',
  title: 'Work with lists',
  description: 'Shows saved lists and their records, makes static lists, adds records to them and removes them.',
  uses: ['lists.list', 'lists.listRecords', 'lists.create', 'lists.addRecords', 'lists.removeRecords'],
  input,
  async run(context, given) {
    if (given.action === 'list') return allLists(context, given)
    const name = required(given.object, 'object', given)
    if (given.action === 'create') return newList(context, name, required(given.title, 'title', given), given.ids)
    const list = required(given.list, 'list', given)
    if (given.action === 'read') return recordsOf(context, name, list, given)
    const operation = given.action === 'add' ? 'lists.addRecords' : 'lists.removeRecords'
    await context.call(operation, { object: name, list, body: entries(name, given.ids) })
    return `Done: ${given.action} ${given.ids.length} records. Existing ones are unchanged.`
  },
})

const entries = (type: string, ids: readonly string[]) => ({ data: ids.map((one) => ({ type, id: one })) })

function required(value: string | undefined, name: string, { action }: Input): string {
  if (value !== undefined) return value
  throw failure('invalid_parameter', `The action "${action}" requires "${name}".`, { source: { pointer: `/${name}` } })
}

async function allLists({ call }: ToolContext, { object: name }: Input): Promise<string> {
  const page = { limit: 200 }
  const { data } =
    name === undefined ? await call('lists.list', { page }) : await call('lists.listOfObject', { object: name, page })
  if (data.length === 0) return 'There is no list that you may see.'
  const rows = data.map(({ id: listId, attributes: { title, entity, type, description } }) => [
    listId,
    title,
    entity,
    type,
    description,
  ])
  return asData(table(['id', 'title', 'object', 'type', 'description'], rows))
}

async function newList({ call }: ToolContext, name: string, title: string, ids: readonly string[]): Promise<string> {
  const { data } = await call('lists.create', { object: name, body: { title, type: 'static' } })
  if (ids.length > 0) await call('lists.addRecords', { object: name, list: data.id, body: entries(name, ids) })
  return `Created the static list ${data.id} with ${ids.length} records.`
}

async function recordsOf(
  { call, schemas }: ToolContext,
  name: string,
  list: string,
  { cursor, max_tokens: tokensMax }: Input,
): Promise<string> {
  const { columns, include } = await columnsOf(schemas, name, undefined)
  const position = readCursor(cursor)
  const answer = await call('lists.listRecords', {
    object: name,
    list,
    page: { limit: 50, ...position.page },
    include,
    ...(columns && { fields: { [name]: columns } }),
  })
  return recordTable(schemas, name, answer, { columns, position, tokensMax })
}
