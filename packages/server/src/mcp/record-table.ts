import type { RecordResource } from '@kontor/contract'
import { asData, namesOf, recordLines } from '../markdown/index.ts'
import { portionOf, type Position } from './cursor.ts'
import { referenceOf, shownFields, primaryOf, type SchemaReader } from './schemas.ts'

type Page = {
  readonly data: readonly RecordResource[]
  readonly meta: { readonly total_records?: number | undefined }
  readonly links: { readonly next: string | null }
}

/** The columns of a table, and those of them that refer to records, whose names stand beside their ids. */
export type Columns = { readonly columns: readonly string[] | undefined; readonly include: readonly string[] }

export async function columnsOf(
  schemas: SchemaReader,
  object: string,
  fields: readonly string[] | undefined,
): Promise<Columns> {
  const schema = await schemas.find(object)
  const columns = fields ?? (schema && shownFields(schema))
  const include = (columns ?? []).filter((column) => {
    const field = schema?.properties[column]
    return field !== undefined && (referenceOf(field) !== undefined || field.xSvcRelationship !== undefined)
  })
  return { columns, include }
}

/** Writes a page of records as a table, as far as it fits, with the way to the rest. */
export async function recordTable(
  schemas: SchemaReader,
  object: string,
  { data, meta, links }: Page,
  { columns, position, tokensMax }: Pick<Columns, 'columns'> & { position: Position; tokensMax: number },
): Promise<string> {
  if (data.length === 0) return 'No record matches.'
  const nameOf = namesOf(data, await primaries(schemas, data))
  const [head = '', rule = '', ...rows] = recordLines(data, columns ?? attributeNames(data), nameOf)
  const { lines, more } = portionOf(rows, position, links.next, tokensMax)
  const table = asData([head, rule, ...lines].join('\n'))
  return `${meta.total_records ?? data.length} ${object} records match.\n${table}${more}`
}

/** Where the schema may not be read, what the records themselves have. */
const attributeNames = (records: readonly RecordResource[]): string[] => [
  ...new Set(records.flatMap(({ attributes }) => Object.keys(attributes).filter((key) => !key.startsWith('_')))),
]

/** Finds the primary fields of the objects that records refer to, to name what is beside an id. */
export async function primaries(
  schemas: SchemaReader,
  records: readonly RecordResource[],
): Promise<(type: string) => string | undefined> {
  const types = new Set(
    records.flatMap(({ relationships }) =>
      Object.values(relationships).flatMap(({ data }) =>
        [data].flat().flatMap((one) => (one?.attributes === undefined ? [] : [one.type])),
      ),
    ),
  )
  const found = new Map<string, string | undefined>()
  for (const type of types) found.set(type, primaryOf(await schemas.find(type)))
  return (type) => found.get(type)
}
