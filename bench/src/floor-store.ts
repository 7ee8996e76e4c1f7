import type { StoredRecord } from './answers.ts'
import type { Filter } from './floor-filters.ts'
import type { RecordRows, Row } from './rows.ts'

type Page = { readonly rows: readonly StoredRecord[]; readonly total: number }

/** What the floor asks of a database: one implementation each, with statements written by hand. */
export type FloorStore = {
  readonly get: (workspaceId: string, object: string, id: string) => Promise<StoredRecord | undefined>
  /** Ids first, then their rows, and the total from the counter. */
  readonly list: (workspaceId: string, object: string, rows: number) => Promise<Page>
  readonly filtered: (workspaceId: string, object: string, filter: Filter, rows: number) => Promise<Page>
  /** One transaction; fails where a company does not exist or an e-mail address is taken. Bare, without history, events and index rows. */
  readonly create: (rows: readonly RecordRows[], isBare: boolean) => Promise<void>
  readonly close: () => Promise<void>
}

/** The tables that a record goes to, with the columns in the order in which the floor sends them. Of an event, all but its number. */
export const columns = {
  record: ['workspace_id', 'id', 'object', 'visibility', 'owner_id', 'version', 'created_at', 'created_by', 'updated_at', 'updated_by', 'data'],
  field_text: ['workspace_id', 'field', 'is_null', 'text_value', 'record_id', 'visibility'],
  unique_key: ['workspace_id', 'field', 'key_value', 'record_id'],
  link: ['workspace_id', 'relationship', 'from_id', 'to_id'],
  event: ['workspace_id', 'id', 'type', 'object', 'record_id', 'actor', 'silent', 'payload', 'created_at'],
  activity: ['workspace_id', 'record_id', 'position', 'place', 'id', 'type', 'object', 'actor_id', 'actor_entity', 'source_id', 'diff', 'began_at', 'created_at'],
} as const

export type FloorTable = keyof typeof columns

/** What a write changes, by the name of the counter: of the object, and of those that its records refer to. */
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
    event: traced.map((one) => one.event),
    activity: traced.map((one) => one.activity),
  } as const
}
