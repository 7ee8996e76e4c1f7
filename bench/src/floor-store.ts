import type { StoredRecord } from './answers.ts'
import type { Filter } from './floor-filters.ts'
import type { RecordRows, Row } from './rows.ts'

type Page = { readonly rows: readonly StoredRecord[]; readonly total: number }

/** The database of the floor: one implementation each, with statements written by hand. */
export type FloorStore = {
  readonly get: (workspaceId: string, object: string, id: string) => Promise<StoredRecord | undefined>
  /** Ids first, then their rows, and the total from the counter. */
  readonly list: (workspaceId: string, object: string, rows: number) => Promise<Page>
  readonly filtered: (workspaceId: string, object: string, filter: Filter, rows: number) => Promise<Page>
  /** The records that a user who owns nothing may see, in an order, and their number. */
  readonly visible: (workspaceId: string, object: string, userId: string, order: Order, rows: number) => Promise<Page>
  /**
   * One transaction; fails where a company does not exist or an e-mail address is taken. Bare, without history, events
   * and index rows.
   */
  readonly create: (rows: readonly RecordRows[], isBare: boolean) => Promise<void>
  readonly close: () => Promise<void>
}

/** The header by which the floor is told whose access counts; without it everything is visible. */
export const floorUser = 'x-user'

/** In which order a list comes: by creation, or by a field that has an index. */
export type Order = 'creation' | 'name' | 'score'

/**
 * Ids of what a user may see, in an order, and their number: what is shared with the workspace from the narrowest index
 * that
 * says so, and what is granted to the user. `:name` stands for a value.
 */
export const visibleOf: Readonly<Record<Order, string>> = {
  creation: `select r.id from record as r
    where r.workspace_id = :workspaceId and r.object = :object and r.deleted_at is null
    and (r.visibility > 0 or ${grantedOn('r', 'id')}) order by r.created_at, r.id limit :limit`,
  name: byIndex('field_text', 'person.name', 'text_value'),
  score: byIndex('field_number', 'person.score', 'number_value'),
}

export const visibleTotal = `select (select count(*) from field_text
     where workspace_id = :workspaceId and field = 'person.name' and visibility > 0)
  + (select count(*) from access_grant as g join record as r on r.workspace_id = g.workspace_id and r.id = g.record_id
     where g.workspace_id = :workspaceId and g.grantee_id = :userId and g.object = :object and r.visibility = 0
       and r.deleted_at is null) as total`

function byIndex(table: string, field: string, value: string): string {
  return `select i.record_id as id from ${table} as i where i.workspace_id = :workspaceId and i.field = '${field}'
    and (i.visibility > 0 or ${grantedOn('i', 'record_id')}) order by i.is_null, i.${value}, i.record_id limit :limit`
}

function grantedOn(alias: string, id: string): string {
  return (
    `exists (select 1 from access_grant as g where g.workspace_id = ${alias}.workspace_id and g.record_id = ` +
    `${alias}.${id} and g.grantee_id = :userId)`
  )
}

/**
 * The tables that a record goes to, with the columns in the order in which the floor sends them. Of an event, all but
 * its number.
 */
export const columns = {
  record: [
    'workspace_id',
    'id',
    'object',
    'visibility',
    'owner_id',
    'version',
    'created_at',
    'created_by',
    'updated_at',
    'updated_by',
    'data',
    'feed_end',
  ],
  field_text: ['workspace_id', 'field', 'is_null', 'text_value', 'record_id', 'visibility'],
  search_document: ['workspace_id', 'record_id', 'object', 'created_at', 'title_text', 'document_text'],
  unique_key: ['workspace_id', 'field', 'key_value', 'record_id'],
  link: ['workspace_id', 'relationship', 'from_id', 'to_id'],
  event: ['workspace_id', 'id', 'type', 'object', 'record_id', 'actor', 'silent', 'payload', 'created_at'],
  activity: [
    'workspace_id',
    'record_id',
    'position',
    'place',
    'id',
    'type',
    'object',
    'actor_id',
    'actor_entity',
    'source_id',
    'diff',
    'began_at',
    'created_at',
  ],
} as const

export type FloorTable = keyof typeof columns

/** The changes of a write, by the name of the counter: of the object, and of those that its records refer to. */
export function countsOf(given: readonly RecordRows[]): Map<string, number> {
  const counts = new Map([[given[0]?.record['object'] as string, given.length]])
  for (const { link } of given) {
    if (link === undefined) continue
    const name = `${link['relationship'] as string}/to_id/${link['to_id'] as string}`
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return counts
}

export const rowsByTable = (given: readonly RecordRows[], isBare: boolean) => {
  const traced = isBare ? [] : given
  return {
    record: given.map((one) => one.record),
    unique_key: given.map((one) => one.uniqueKey),
    link: given.flatMap(({ link }): Row[] => (link === undefined ? [] : [link])),
    field_text: traced.map((one) => one.fieldText),
    search_document: traced.map((one) => one.document),
    event: traced.map((one) => one.event),
    activity: traced.map((one) => one.activity),
  } as const
}
