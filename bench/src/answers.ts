import { objects, type ObjectName } from './rows.ts'

/** A row of `record` as the floor reads it, whatever the database. */
export type StoredRecord = {
  readonly id: string
  readonly created_at: number
  readonly created_by: string | null
  readonly updated_at: number
  readonly updated_by: string | null
  readonly data: Readonly<Record<string, unknown>>
}

const attributesOf = {
  person: Object.entries(objects.person.attributes),
  company: Object.entries(objects.company.attributes),
}
const referencesOf = {
  person: Object.entries(objects.person.references),
  company: Object.entries(objects.company.references),
}

/** The resource that the server answers with, byte for byte. */
function resource(object: ObjectName, row: StoredRecord): object {
  const attributes: Record<string, unknown> = { _id: row.id }
  for (const [name, empty] of attributesOf[object]) attributes[name] = row.data[name] ?? empty
  attributes['name'] = nameInOrder(row.data['name'])
  attributes['_created_at'] = new Date(row.created_at).toISOString()
  attributes['_created_by'] = row.created_by
  attributes['_updated_at'] = new Date(row.updated_at).toISOString()
  attributes['_updated_by'] = row.updated_by
  const relationships: Record<string, unknown> = {}
  for (const [name, type] of referencesOf[object]) {
    const id = row.data[name]
    relationships[name] = id === undefined ? { data: null } : { data: { type, id } }
  }
  return { type: object, id: row.id, attributes, relationships }
}

/** jsonb keeps members in an order of its own. */
function nameInOrder(name: unknown): unknown {
  if (typeof name !== 'object' || name === null) return name ?? null
  const { first_name, last_name, full_name } = name as Readonly<Record<string, string | null>>
  return { first_name, last_name, full_name }
}

export const single = (object: ObjectName, row: StoredRecord): string =>
  JSON.stringify({ data: resource(object, row), included: [], meta: {} })

export const created = (object: ObjectName, row: StoredRecord): string =>
  JSON.stringify({ data: resource(object, row) })

export const createdMany = (object: ObjectName, rows: readonly StoredRecord[]): string =>
  JSON.stringify({
    data: rows.map((row) => resource(object, row)),
    meta: { created: rows.length, updated: 0, unchanged: 0 },
  })

/**
 * Page one of a list; `next` carries what the server would, in a link of the same length. `query` is a filter as it was
 * sent.
 */
export function list(
  object: ObjectName,
  url: string,
  query: string,
  rows: readonly StoredRecord[],
  total: number,
  limit: number,
): string {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  const cursor =
    last === undefined
      ? ''
      : Buffer.from(JSON.stringify(['000000000000', last.created_at, last.id])).toString('base64url')
  const next =
    rows.length > limit
      ? `${url}?${query}page%5Boffset%5D=${limit}&page%5Blimit%5D=${limit}&page%5Bafter%5D=${cursor}`
      : null
  return JSON.stringify({
    data: shown.map((row) => resource(object, row)),
    included: [],
    meta: { total_records: total, total_pages: Math.ceil(total / limit), offset: 0, limit },
    links: { next, prev: null },
  })
}
