import { z } from 'zod'
import { asData, namesOf, recordLines } from '../../markdown/index.ts'
import { filter, object, paging, search } from '../arguments.ts'
import { portionOf, readCursor } from '../cursor.ts'
import { primaries } from '../primaries.ts'
import { referenceOf, shownFields } from '../schemas.ts'
import { tool, type ToolContext } from '../tool.ts'

export const list = tool({
  name: 'list',
  title: 'List records',
  description: 'Lists the records of an object as a table, filtered and sorted, with the exact total.',
  uses: ['resources.query'],
  input: z.strictObject({
    object,
    filter: filter.optional(),
    search: search.optional(),
    sort: z
      .array(z.strictObject({ column: z.string(), dir: z.enum(['ASC', 'DESC']) }))
      .max(5)
      .optional(),
    fields: z.array(z.string()).min(1).max(30).optional().meta({ description: 'Columns. Default: the short fields.' }),
    limit: z.int().min(1).max(200).default(25),
    ...paging,
  }),
  async run(context, { object: name, fields, limit, cursor, max_tokens: tokensMax, ...query }) {
    const { columns, include } = await columnsOf(context, name, fields)
    const position = readCursor(cursor)
    const { data, meta, links } = await context.call('resources.query', {
      object: name,
      ...(position.after !== undefined && { page: { after: position.after, limit } }),
      body: { ...query, page: { limit }, include, ...(columns && { fields: { [name]: columns } }) },
    })
    if (data.length === 0) return 'No record matches.'
    const nameOf = namesOf(data, await primaries(context.schemas, data))
    const shown = columns ?? attributeNames(data)
    const [head = '', rule = '', ...rows] = recordLines(data, shown, nameOf)
    const { lines, more } = portionOf(rows, position, links.next, tokensMax)
    return `${meta.total_records ?? data.length} ${name} records match.\n${asData([head, rule, ...lines].join('\n'))}${more}`
  },
})

/** The columns of a table, and those of them that refer to records, whose names stand beside their ids. */
async function columnsOf(
  { schemas }: ToolContext,
  name: string,
  fields: readonly string[] | undefined,
): Promise<{ readonly columns: readonly string[] | undefined; readonly include: readonly string[] }> {
  const schema = await schemas.find(name)
  const columns = fields ?? (schema && shownFields(schema))
  const include = (columns ?? []).filter((column) => {
    const field = schema?.properties[column]
    return field !== undefined && (referenceOf(field) !== undefined || field.xSvcRelationship !== undefined)
  })
  return { columns, include }
}

/** Where the schema may not be read, what the records themselves have. */
const attributeNames = (records: readonly { readonly attributes: object }[]): string[] => [
  ...new Set(records.flatMap(({ attributes }) => Object.keys(attributes).filter((key) => !key.startsWith('_')))),
]
