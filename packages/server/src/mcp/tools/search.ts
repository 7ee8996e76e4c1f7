import { z } from 'zod'
import { asData, plainText, table, titleOf } from '../../markdown/index.ts'
import { search as searchText } from '../arguments.ts'
import { primaryOf, shownFields } from '../schemas.ts'
import { tool } from '../tool.ts'

/** Values beside the name of a hit, by which a reader knows it. */
const hintsMax = 3

export const search = tool({
  name: 'search',
  title: 'Search records',
  description: 'Finds records of any object by words in them, the best first. To list or count by fields use `list`.',
  uses: ['search.query'],
  input: z.strictObject({
    query: searchText,
    objects: z.array(z.string()).min(1).max(50).optional().meta({ description: 'Default: all objects.' }),
    limit: z.int().min(1).max(50).default(10),
  }),
  async run({ call, schemas }, { query, objects: entities, limit }) {
    const { data, meta } = await call('search.query', { body: { query, limit, ...(entities && { entities }) } })
    if (data.length === 0) return `No record contains "${query}". Try fewer or other words.`
    const rows: string[][] = []
    for (const { type, id, attributes } of data) {
      const schema = await schemas.find(type)
      const primary = primaryOf(schema)
      const hints = (schema === undefined ? [] : shownFields(schema))
        .filter((field) => field !== primary && schema?.properties[field]?.xSvcRelationship === undefined)
        .map((field) => plainText(attributes[field]))
        .filter(Boolean)
      rows.push([id, type, titleOf(attributes, primary) ?? '', hints.slice(0, hintsMax).join('; ')])
    }
    const hits = table(['id', 'object', 'name', 'more'], rows)
    return `${meta.total_records} found, ${data.length} shown.\n${asData(hits)}`
  },
})
