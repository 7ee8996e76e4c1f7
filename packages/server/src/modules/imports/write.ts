import type { Output, records } from '@kontor/contract'
import { rowReason } from '@kontor/contract/cells'
import type { Database, Tx } from '../../db/tx.ts'
import type { InProcessCall } from '../../kernel/invoke/in-process.ts'
import { defined, memberOf } from '../../lib/guards.ts'
import { updateTask } from '../async-tasks/index.ts'
import type { ReadRow } from './reading/map-rows.ts'
import { insertRejects, type RejectRow } from './rejects/store.ts'
import { lockImport, updateImport, type ImportRow } from './store.ts'

/** The import has ended, or another process has written these rows. */
export class ImportStopped extends Error {
  override readonly name = 'ImportStopped'
}

/** Rows that are written together, and the position in the file before and after them. */
export type RowPortion = { readonly rows: readonly ReadRow[]; readonly from: number; readonly to: number }

type Writing = {
  readonly database: Database
  readonly workspaceId: string
  readonly slug: string
  readonly now: () => number
  readonly call: InProcessCall
}

/** The response to a bulk creation whose items stand for themselves. */
export type BulkResults = Extract<Output<typeof records.createMany>, { readonly results: unknown }>

export const isBulk = (body: unknown): body is BulkResults => memberOf(body, 'results') !== undefined

type Counts = Pick<ImportRow, 'created' | 'updated' | 'unchanged'>

const noCounts: Counts = { created: 0, updated: 0, unchanged: 0 }

/**
 * Writes rows as a bulk creation whose items stand for themselves. How far the import is, its counts and the rejected
 * rows are stored in the same transaction, so that no row is written twice.
 */
export async function writePortion(writing: Writing, row: ImportRow, portion: RowPortion): Promise<void> {
  const { database, call, slug } = writing
  const ready = portion.rows.flatMap((one) => ('attributes' in one ? [one] : []))
  const store = (tx: Tx, answer: unknown) => storePortion(tx, writing, row, { ...portion, ready, answer })
  if (ready.length === 0) return database.write((tx) => store(tx, undefined))
  const input = { ...bulkInput(slug, row, ready), ...(row.silent && { silent: true }) }
  if (!row.options.dry_run) return void (await call('records.createMany', input, { alongside: store }))
  const answer = await call('records.createMany', { ...input, dry_run: true })
  await database.write((tx) => store(tx, answer))
}

type Ready = { readonly attributes: Readonly<Record<string, unknown>> }
type Target = Pick<ImportRow, 'object'> & {
  readonly options: Pick<ImportRow['options'], 'match_on' | 'default_country' | 'clear_empty' | 'mapping'>
}

/** The bulk creation of rows, each of which is written or refused. */
export function bulkInput(workspace: string, target: Target, rows: readonly Ready[]) {
  const { object, options } = target
  const { match_on, default_country, clear_empty } = options
  const body = {
    data: rows.map(({ attributes }) => ({ type: object, attributes })),
    ...(match_on !== undefined && { match_on, meta: clear_empty ? replacing(target) : {} }),
    ...(default_country !== undefined && { default_country }),
  }
  return { workspace, object, body, atomic: false }
}

/** An empty cell among others that fill a field takes away what it once held, and nothing says what that was. */
const replacing = ({ options: { mapping = [] } }: Target) => {
  const fields = mapping.map(({ field }) => field.trim())
  const several = fields.filter((field, index) => !field.includes('.') && fields.indexOf(field) !== index)
  return Object.fromEntries(several.map((field) => [field, { collection: 'replace' as const }]))
}

type Written = RowPortion & { readonly ready: readonly ReadRow[]; readonly answer: unknown }

async function storePortion(
  tx: Tx,
  { workspaceId, now }: Writing,
  { id: importId }: ImportRow,
  { rows, from, to, ready, answer }: Written,
): Promise<void> {
  const row = await lockImport(tx, workspaceId, importId)
  if (row === undefined || row.state !== 'running' || row.position !== from) throw new ImportStopped()
  const refused: RejectRow[] = isBulk(answer)
    ? answer.results.flatMap(({ index, errors }) => {
        const { line, cells } = defined(ready[index])
        return errors === undefined ? [] : [{ line, cells, reason: errors.map(rowReason).join(' ') }]
      })
    : []
  const faulty = rows.flatMap((one) =>
    'reason' in one ? [{ line: one.line, cells: one.cells, reason: one.reason }] : [],
  )
  const { created, updated, unchanged } = isBulk(answer) ? answer.meta : noCounts
  const progress = row.rows_done + rows.length
  await insertRejects(tx, { workspaceId, importId }, [...refused, ...faulty])
  await updateImport(tx, workspaceId, importId, {
    position: to,
    line: rows.at(-1)?.line ?? row.line,
    rows_done: progress,
    created: row.created + created,
    updated: row.updated + updated,
    unchanged: row.unchanged + unchanged,
    rejected: row.rejected + refused.length + faulty.length,
  })
  await updateTask(tx, workspaceId, importId, now(), { progress })
}
