import { rowReason, type Mapped } from '@kontor/contract/cells'
import type { Database, Tx } from '../../db/tx.ts'
import type { InProcessCall } from '../../kernel/invoke/in-process.ts'
import { defined } from '../../lib/guards.ts'
import { updateTask } from '../async-tasks/index.ts'
import { bulkInput, bulkResults } from './bulk.ts'
import type { LinkedRecords } from './linked.ts'
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
  /** Creates the linked records that are missing; undefined where none is to be created. */
  readonly linked: LinkedRecords | undefined
}

type Counts = Pick<ImportRow, 'created' | 'updated' | 'unchanged'>

const noCounts: Counts = { created: 0, updated: 0, unchanged: 0 }

/**
 * Writes rows as a bulk creation whose items stand for themselves. How far the import is, its counts and the rejected
 * rows are stored in the same transaction, so that no row is written twice.
 */
export async function writePortion(writing: Writing, row: ImportRow, portion: RowPortion): Promise<void> {
  const { database, call, slug, linked } = writing
  const ready = portion.rows.flatMap((one) => ('attributes' in one ? [one] : []))
  const store = (tx: Tx, answer: unknown) => storePortion(tx, writing, row, { ...portion, ready, answer })
  if (ready.length === 0) return database.write((tx) => store(tx, undefined))
  await linked?.ensure(ready)
  const data = linked === undefined ? ready : ready.map((one) => ({ attributes: linked.attributesOf(one) }))
  const input = { ...bulkInput(slug, row, data), ...(row.silent && { silent: true }) }
  if (!row.options.dry_run) return void (await call('records.createMany', input, { alongside: store }))
  const answer = await call('records.createMany', { ...input, dry_run: true })
  await database.write((tx) => store(tx, answer))
}

type Written = RowPortion & {
  readonly ready: readonly Extract<ReadRow, Mapped>[]
  readonly answer: unknown
}

async function storePortion(
  tx: Tx,
  { workspaceId, now, linked }: Writing,
  { id: importId }: ImportRow,
  { rows, from, to, ready, answer }: Written,
): Promise<void> {
  const row = await lockImport(tx, workspaceId, importId)
  if (row === undefined || row.state !== 'running' || row.position !== from) throw new ImportStopped()
  const written = answer === undefined ? undefined : bulkResults(answer)
  const refused = (written?.results ?? []).flatMap(({ index, errors }): RejectRow[] => {
    const one = defined(ready[index])
    if (errors === undefined) return []
    const reason = [...errors.map(rowReason), ...(linked?.faultsOf(one) ?? [])].join(' ')
    return [{ line: one.line, cells: one.cells, reason }]
  })
  const faulty = rows.flatMap((one) =>
    'reason' in one ? [{ line: one.line, cells: one.cells, reason: one.reason }] : [],
  )
  const { created, updated, unchanged } = written?.meta ?? noCounts
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
