import { objects } from './rows.ts'

/** A row of `record` as the floor reads it, whatever the database. */
export type StoredRecord = {
  readonly id: string
  readonly created_at: number
  readonly created_by: string | null
  readonly updated_at: number
  readonly updated_by: string | null
  readonly data: Readonly<Record<string, unknown>>
}

const attributes = Object.entries(objects.person.attributes)
const references = Object.entries(objects.person.references)

/** The resource of a person that the server answers with, byte for byte. */
function resource(row: StoredRecord): object {
  const shown: Record<string, unknown> = { _id: row.id }
  for (const [name, empty] of attributes) shown[name] = row.data[name] ?? empty
  shown['name'] = nameInOrder(row.data['name'])
  shown['_created_at'] = new Date(row.created_at).toISOString()
  shown['_created_by'] = row.created_by
  shown['_updated_at'] = new Date(row.updated_at).toISOString()
  shown['_updated_by'] = row.updated_by
  const relationships: Record<string, unknown> = {}
  for (const [name, type] of references) {
    const id = row.data[name]
    relationships[name] = id === undefined ? { data: null } : { data: { type, id } }
  }
  return { type: 'person', id: row.id, attributes: shown, relationships }
}

/** jsonb keeps members in an order of its own. */
function nameInOrder(name: unknown): unknown {
  if (typeof name !== 'object' || name === null) return name ?? null
  const { first_name, last_name, full_name } = name as Readonly<Record<string, string | null>>
  return { first_name, last_name, full_name }
}

/**
 * Page one of a list; `next` carries what the server would, in a link of the same length. `query` is what was sent
 * before the page.
 */
export function list(url: string, query: string, rows: readonly StoredRecord[], total: number, limit: number): string {
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
    data: shown.map(resource),
    included: [],
    meta: { total_records: total, total_pages: Math.ceil(total / limit), offset: 0, limit },
    links: { next, prev: null },
  })
}
