import { z } from 'zod'
import { filter, object, paging, search, sort } from '../arguments.ts'
import { readCursor } from '../cursor.ts'
import { columnsOf, recordTable } from '../record-table.ts'
import { tool } from '../tool.ts'

export const list = tool({
  name: 'list',
  title: 'List records',
  description: 'Lists the records of an object as a table, filtered and sorted, with the exact total.',
  uses: ['resources.query'],
  input: z.strictObject({
    object,
    filter: filter.optional(),
    search: search.optional(),
    sort: sort.optional(),
    fields: z.array(z.string()).min(1).max(30).optional().meta({ description: 'Columns. Default: the short fields.' }),
    limit: z.int().min(1).max(200).default(25),
    ...paging,
  }),
  async run({ call, schemas }, { object: name, fields, limit, cursor, max_tokens: tokensMax, ...query }) {
    const { columns, include } = await columnsOf(schemas, name, fields)
    const position = readCursor(cursor)
    const page = await call('resources.query', {
      object: name,
      ...(position.page && { page: { ...position.page, limit } }),
      body: { ...query, page: { limit }, include, ...(columns && { fields: { [name]: columns } }) },
    })
    return recordTable(schemas, name, page, { columns, position, tokensMax })
  },
})
