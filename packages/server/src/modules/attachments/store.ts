import type { RowOf } from '../../db/columns.ts'
import { finder, readColumn } from '../../db/rows.ts'
import { param, statement } from '../../db/statement.ts'
import type { ReadTx, Tx } from '../../db/tx.ts'
import { discardFiles } from '../files/index.ts'
import { attachedRows, type Dependent } from '../records/index.ts'

type Sender = { readonly personId: string | null; readonly name: string | null }

type Row = RowOf<'attachment'> & { readonly source: 'user' | 'email'; readonly sent_by: Sender | null }

/** An attachment with what is known of its file. */
export type AttachmentRow = Omit<Row, 'workspace_id'> & Pick<RowOf<'file'>, 'name' | 'size_bytes' | 'mime_type'>

type OfRecord = { readonly workspace_id: string; readonly record_id: string }

const columns = [
  'a.id',
  'a.record_id',
  'a.source',
  'a.message_ref',
  'a.sent_by',
  'a.created_at',
  'a.created_by',
  'f.name',
  'f.size_bytes',
  'f.mime_type',
] as const

const one = statement<OfRecord & { readonly id: string }, AttachmentRow>(({ knex }) =>
  knex('attachment as a')
    .join('file as f', (on) => on.on('f.workspace_id', 'a.workspace_id').andOn('f.id', 'a.id'))
    .select(...columns)
    .where({
      'a.workspace_id': param('workspace_id'),
      'f.workspace_id': param('workspace_id'),
      'a.record_id': param('record_id'),
      'a.id': param('id'),
    }),
)

export const findAttachment = (
  tx: ReadTx,
  of: OfRecord & { readonly id: string },
): Promise<AttachmentRow | undefined> => tx.first(one, of)

/** An attachment by its id alone, and the object of its record. */
export const findAnywhere = finder<[workspaceId: string, id: string], AttachmentRow & { readonly object_key: string }>(
  ({ knex }, workspaceId, id) =>
    knex('attachment as a')
      .join('file as f', (on) => on.on('f.workspace_id', 'a.workspace_id').andOn('f.id', 'a.id'))
      .join('record as r', (on) => on.on('r.workspace_id', 'a.workspace_id').andOn('r.id', 'a.record_id'))
      .select(...columns, 'r.object as object_key')
      .where({
        'a.workspace_id': workspaceId,
        'f.workspace_id': workspaceId,
        'r.workspace_id': workspaceId,
        'a.id': id,
      }),
)

type Order = { readonly column: 'a.id' | 'f.name'; readonly descending: boolean }
type Part = { readonly offset: number; readonly limit: number } | undefined

export const listAttachments = (
  tx: ReadTx,
  of: OfRecord,
  { column, descending }: Order,
  page: Part,
): Promise<AttachmentRow[]> =>
  tx.query(({ knex }) => {
    const dir = descending ? 'desc' : 'asc'
    const rows = knex('attachment as a')
      .join('file as f', (on) => on.on('f.workspace_id', 'a.workspace_id').andOn('f.id', 'a.id'))
      .select(...columns)
      .where({ 'a.workspace_id': of.workspace_id, 'f.workspace_id': of.workspace_id, 'a.record_id': of.record_id })
      .orderBy([
        { column, order: dir },
        { column: 'a.id', order: dir },
      ])
    return page === undefined ? rows : rows.offset(page.offset).limit(page.limit)
  })

const total = statement<OfRecord, { total: number }>(({ knex }) =>
  knex('attachment')
    .where({ workspace_id: param('workspace_id'), record_id: param('record_id') })
    .count({ total: '*' }),
)

export const countAttachments = async (tx: ReadTx, of: OfRecord): Promise<number> =>
  (await tx.first(total, of))?.total ?? 0

/** Those of some attachments that a record has, in the order that they are given. */
export async function attachmentsOfRecord(
  tx: ReadTx,
  { workspace_id, record_id }: OfRecord,
  ids: readonly string[],
): Promise<string[]> {
  if (ids.length === 0) return []
  const found = new Set(
    await readColumn(tx, ({ knex, dialect }) =>
      knex('attachment').select('id').where({ workspace_id, record_id }).where(dialect.oneOf('id', ids)),
    ),
  )
  return ids.filter((id) => found.has(id))
}

/** Inserts an attachment; false where it is there already. */
export const insertAttachment = async (tx: Tx, row: Row): Promise<boolean> =>
  (await tx.insertNew('attachment', [row], ['id'])).length === 1

/** Deletes attachments, and leaves their files to upkeep. */
export async function deleteAttachments(tx: Tx, workspaceId: string, ids: readonly string[]): Promise<void> {
  await tx.deleteByKey(
    'attachment',
    ids.map((id) => ({ workspace_id: workspaceId, id })),
  )
  await discardFiles(tx, workspaceId, ids)
}

const attached = attachedRows({ table: 'attachment', column: 'record_id', path: 'attachments', isKept: true })

export const attachmentsOfRecords: Dependent = {
  ...attached,
  async purge(tx, workspaceId, recordIds, rowsMax) {
    const some = await tx.query<{ id: string }>(({ knex, dialect }) =>
      knex('attachment')
        .select('id')
        .where('workspace_id', workspaceId)
        .where(dialect.oneOf('record_id', recordIds))
        .orderBy('id')
        .limit(rowsMax),
    )
    await deleteAttachments(
      tx,
      workspaceId,
      some.map(({ id }) => id),
    )
    return some.length
  },
}
