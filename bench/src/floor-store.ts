import type { StoredRecord } from './answers.ts'

type Page = { readonly rows: readonly StoredRecord[]; readonly total: number }

/** The database of the floor: one implementation each, with statements written by hand. */
export type FloorStore = {
  /** The persons whose search documents have a text in them, and their number. */
  readonly search: (workspaceId: string, text: string, rows: number) => Promise<Page>
  /** The persons that a user who owns nothing may see, in an order, and their number. */
  readonly visible: (workspaceId: string, userId: string, order: Order, rows: number) => Promise<Page>
  readonly close: () => Promise<void>
}

/** The header by which the floor is told whose access counts. */
export const floorUser = 'x-user'

/** In which order a list comes: by creation, or by a field that has an index. */
export type Order = 'creation' | 'name' | 'score'

/** The columns of a record that its resource shows. */
export const shown = 'id, created_at, created_by, updated_at, updated_by, data'

/**
 * Ids of what a user may see, in an order, and their number: what is shared with the workspace from the narrowest index
 * that says so, and what is granted to the user. `:name` stands for a value.
 */
export const visibleOf: Readonly<Record<Order, string>> = {
  creation: `select r.id from record as r
    where r.workspace_id = :workspaceId and r.object = 'person' and r.deleted_at is null
    and (r.visibility > 0 or ${grantedOn('r', 'id')}) order by r.created_at, r.id limit :limit`,
  name: byIndex('field_text', 'person.name', 'text_value'),
  score: byIndex('field_number', 'person.score', 'number_value'),
}

export const visibleTotal = `select (select count(*) from field_text
     where workspace_id = :workspaceId and field = 'person.name' and visibility > 0)
  + (select count(*) from access_grant as g join record as r on r.workspace_id = g.workspace_id and r.id = g.record_id
     where g.workspace_id = :workspaceId and g.grantee_id = :userId and g.object = 'person' and r.visibility = 0
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

/** The page and the total of a search in one statement, by a scan of the documents. */
export const searched = `select ${shown.replaceAll(/\w+/g, 'r.$&')}, count(*) over () as total
  from search_document as s join record as r on r.workspace_id = s.workspace_id and r.id = s.record_id
  where s.workspace_id = :workspaceId and s.object = 'person' and s.document_text like '%' || :text || '%'
  order by r.created_at, r.id limit :limit`
