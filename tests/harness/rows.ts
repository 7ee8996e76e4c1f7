import type { TestDatabase } from './database.ts'
import type { Json } from './http.ts'

export type Link = {
  readonly relationship: string
  readonly from_id: string
  readonly to_id: string
  readonly hidden_by: string | null
}

/**
 * The links of a record as they are stored, hidden ones included: no endpoint shows those between many and many yet.
 */
export const linksOf =
  (database: TestDatabase) =>
  async (id: string): Promise<Link[]> =>
    database.reader.query<Link>(({ knex }) =>
      knex('link')
        .select('relationship', 'from_id', 'to_id', 'hidden_by')
        .where('from_id', id)
        .orWhere('to_id', id)
        .orderBy(['relationship', 'from_id', 'to_id']),
    )

/** The links of several records, each once. */
export const linksAmongOf =
  (database: TestDatabase) =>
  async (ids: readonly string[]): Promise<Link[]> =>
    database.reader.query<Link>(({ knex, dialect }) => {
      const at = (end: string) => dialect.oneOf(end, ids)
      return knex('link')
        .select('relationship', 'from_id', 'to_id', 'hidden_by')
        .where(at('from_id'))
        .orWhere(at('to_id'))
    })

/** By id, the versions that records are at, deleted ones included: only those that are live have an ETag. */
export const versionsOf =
  (database: TestDatabase) =>
  async (ids: readonly string[]): Promise<Record<string, number>> => {
    const rows = await database.reader.query<{ id: string; version: number }>(({ knex, dialect }) =>
      knex('record').select('id', 'version').where(dialect.oneOf('id', ids)),
    )
    return Object.fromEntries(rows.map(({ id, version }) => [id, version]))
  }

type Creation = {
  readonly record_id: string
  readonly diff: readonly { readonly path: readonly string[]; readonly val: unknown }[]
}

/**
 * By the name that each was given when it was created, records of an object whose names begin alike, whatever has
 * become of them.
 */
export const createdRecordsOf =
  (database: TestDatabase) =>
  async (object: string, start: string): Promise<Map<string, string>> => {
    const rows = await database.reader.query<Creation>(({ knex }) =>
      knex('activity')
        .select('record_id', 'diff')
        .where({ object, type: 'svc:create' })
        .whereRaw(`cast(diff as text) like ?`, [`%"${start} %`]),
    )
    return new Map(
      rows.flatMap(({ record_id, diff }) =>
        diff.filter(({ path }) => path[0] === 'name').map(({ val }): [string, string] => [String(val), record_id]),
      ),
    )
  }

/** By their text, comments of one paragraph whose texts begin alike. */
export const commentsByTextOf =
  (database: TestDatabase) =>
  async (start: string): Promise<Map<string, string>> => {
    const rows = await database.reader.query<{ id: string; message: Json }>(({ knex }) =>
      knex('comment')
        .select('id', 'message')
        .whereRaw(`cast(message as text) like ?`, [`%"${start} %`]),
    )
    return new Map(rows.map(({ id, message }) => [message[0].content[0].text, id]))
  }

/** Where a record, a workflow or a run may leave rows, and by which columns. */
const columnsByTable = {
  record_import: ['id'],
  data_export: ['id'],
  import_reject: ['import_id'],
  import_revert: ['import_id'],
  record: ['id'],
  field_text: ['record_id'],
  field_number: ['record_id'],
  search_document: ['record_id'],
  unique_key: ['record_id'],
  link: ['from_id', 'to_id'],
  comment: ['record_id'],
  attachment: ['record_id'],
  meeting_recording: ['meeting_id'],
  transcript_segment: ['meeting_id'],
  calendar_entry: ['meeting_id'],
  activity: ['record_id'],
  merged_record: ['merged_id', 'target_id'],
  access_grant: ['record_id'],
  list_entry: ['record_id'],
  workflow: ['id'],
  workflow_version: ['workflow_id'],
  workflow_run: ['workflow_id'],
  workflow_step: ['run_id'],
  workflow_wait: ['run_id'],
  workflow_pace: ['workflow_id'],
  workflow_arrival: ['workflow_id'],
  campaign: ['workflow_id'],
  campaign_recipient: ['workflow_id'],
  campaign_day: ['workflow_id'],
  campaign_domain: ['workflow_id'],
  campaign_place: ['run_id'],
  agent_undo: ['run_id'],
} as const

/** By table, the rows that are still there of a record, a workflow or a run; what is gone for good has none. */
export const remainsOf =
  (database: TestDatabase) =>
  async (id: string): Promise<Record<string, number>> => {
    const counts = await Promise.all(
      Object.entries(columnsByTable).map(async ([table, columns]): Promise<[string, number]> => {
        const [row] = await database.reader.query<{ total: number }>(({ knex }) =>
          columns.reduce((query, column) => query.orWhere(column, id), knex(table).count('* as total')),
        )
        return [table, row?.total ?? 0]
      }),
    )
    return Object.fromEntries(counts.filter(([, total]) => total > 0))
  }

type Stored = { readonly id: string; readonly object: string; readonly deleted_at: number | null; readonly data: Json }

/**
 * By the names that references have in tests; fields that were added to an object later are kept under theirs and its
 * version.
 */
const isReference = (key: string) => /_id(~\d+)?$/.test(key)

/**
 * Lists the faults of the links of all records, in words: a link that shows must have two live ends, one that waits
 * must wait for a deleted one, the references in the documents of live records must be their links, and counters their
 * numbers.
 */
export const linkFaultsOf = (database: TestDatabase) => async (): Promise<string[]> => {
  const rows = await database.reader.query<Stored>(({ knex }) =>
    knex('record').select('id', 'object', 'deleted_at', 'data'),
  )
  const links = await database.reader.query<Link>(({ knex }) =>
    knex('link').select('relationship', 'from_id', 'to_id', 'hidden_by'),
  )
  const counts = await database.reader.query<{ object: string; total: number }>(({ knex }) =>
    knex
      .select('object')
      .sum('total as total')
      .from(
        knex('record_count')
          .select('object', 'total')
          .unionAll(knex('record_count_delta').select('object', 'delta'))
          .as('c'),
      )
      .where('object', 'like', '%/%')
      .groupBy('object'),
  )
  const records = new Map(rows.map((row) => [row.id, row]))
  const isLive = (id: string) => records.get(id)?.deleted_at === null
  const shown = links.filter(({ hidden_by }) => hidden_by === null)
  const keyOf = ({ relationship }: Link) => relationship.slice(relationship.indexOf('.') + 1)
  const told = new Set(shown.map((link) => `${link.from_id} ${keyOf(link)} ${link.to_id}`))
  const linked = Map.groupBy(
    shown.flatMap(({ relationship, from_id, to_id }) => [
      `${relationship}/from_id/${from_id}`,
      `${relationship}/to_id/${to_id}`,
    ]),
    (counter) => counter,
  )
  return [
    ...counts
      .filter(({ object, total }) => total !== (linked.get(object)?.length ?? 0))
      .map(({ object, total }) => `counts ${total} of ${linked.get(object)?.length ?? 0}: ${object}`),
    ...shown
      .filter(({ from_id, to_id }) => !isLive(from_id) || !isLive(to_id))
      .map((link) => `shows, but an end is not live: ${JSON.stringify(link)}`),
    ...links
      .filter(
        ({ from_id, to_id, hidden_by }) =>
          hidden_by !== null && (![from_id, to_id].includes(hidden_by) || isLive(hidden_by) || !records.has(hidden_by)),
      )
      .map((link) => `waits for no record: ${JSON.stringify(link)}`),
    ...shown
      .filter(
        (link) =>
          isReference(keyOf(link)) &&
          isLive(link.from_id) &&
          records.get(link.from_id)?.data[keyOf(link)] !== link.to_id,
      )
      .map((link) => `is not in the document: ${JSON.stringify(link)}`),
    ...rows
      .filter(({ deleted_at }) => deleted_at === null)
      .flatMap(({ id, data }) =>
        Object.entries(data)
          .filter(([key, value]) => isReference(key) && !told.has(`${id} ${key} ${String(value)}`))
          .map(([key, value]) => `has no link: ${id} ${key} ${String(value)}`),
      ),
  ]
}
