import { rowReason, type Mapped } from '@kontor/contract/cells'
import type { Database, Tx } from '../../db/tx.ts'
import type { InProcessCall } from '../../kernel/invoke/in-process.ts'
import { defined } from '../../lib/guards.ts'
import { updateTask } from '../async-tasks/index.ts'
import { bulkInput, bulkResults } from './bulk.ts'
import type { LinkedRecords } from './linked.ts'
import { linkRows, type LinkTarget } from './write-links.ts'
import type { ReadRow } from './reading/map-rows.ts'
import { insertRejects, type RejectRow } from './rejects/store.ts'
import { importRows, type ImportRow } from './store.ts'

/** The import has ended, or another run has written these rows: one that lost its lease and was still at work. */
export class ImportStopped extends Error {
  override readonly name = 'ImportStopped'
}

/** Rows that are written together, and the position in the file before and after them. */
export type RowPortion = { readonly rows: readonly ReadRow[]; readonly from: number; readonly to: number }

export type Writing = {
  readonly database: Database
  readonly workspaceId: string
  readonly slug: string
  readonly now: () => number
  readonly call: InProcessCall
  /** Finds the linked records, and creates those that are missing; undefined where rows need neither. */
  readonly linked: LinkedRecords | undefined
  /** Where rows are links; undefined where they are records. */
  readonly links: LinkTarget | undefined
}

type Counts = Pick<ImportRow, 'created' | 'updated' | 'unchanged'>

/** The outcome of the mapped rows of a portion. */
type Outcome = { readonly counts: Counts; readonly refused: readonly RejectRow[] }

const noCounts: Counts = { created: 0, updated: 0, unchanged: 0 }

type ReadyRow = Extract<ReadRow, Mapped>

/**
 * Writes rows as a bulk creation whose items stand for themselves, or as links. How far the import is, its counts and
 * the rejected rows are stored in the same transaction, so that no row is written twice; links may be, which changes
 * nothing.
 */
export async function writePortion(writing: Writing, row: ImportRow, portion: RowPortion): Promise<void> {
  const { database, call, slug, linked, links } = writing
  const ready = portion.rows.flatMap((one) => ('attributes' in one ? [one] : []))
  const store = (tx: Tx, outcome: Outcome) => storePortion(tx, writing, row, portion, outcome)
  if (ready.length === 0) return database.write((tx) => store(tx, { counts: noCounts, refused: [] }))
  if (links !== undefined && linked !== undefined) {
    const refused = refusedRows(ready, await linkRows(call, links, linked, ready))
    const counts = { ...noCounts, created: ready.length - refused.length }
    return database.write((tx) => store(tx, { counts, refused }))
  }
  await linked?.ensure(ready)
  const data = linked === undefined ? ready : ready.map((one) => ({ attributes: linked.attributesOf(one) }))
  const input = { ...bulkInput(slug, row, data), ...(row.silent && { silent: true }) }
  const outcomeOf = (answer: unknown) => bulkOutcome(answer, ready, linked)
  const alongside = (tx: Tx, answer: unknown) => store(tx, outcomeOf(answer))
  if (!row.options.dry_run) return void (await call('records.createMany', input, { alongside }))
  const answer = await call('records.createMany', { ...input, dry_run: true })
  await database.write((tx) => store(tx, outcomeOf(answer)))
}

const refusedRows = (ready: readonly ReadyRow[], reasons: ReadonlyMap<number, string>): RejectRow[] =>
  [...reasons].map(([index, reason]) => {
    const { line, cells } = defined(ready[index])
    return { line, cells, reason }
  })

function bulkOutcome(answer: unknown, ready: readonly ReadyRow[], linked: LinkedRecords | undefined): Outcome {
  const { results, meta } = bulkResults(answer)
  const refused = results.flatMap(({ index, errors }): RejectRow[] => {
    const one = defined(ready[index])
    if (errors === undefined) return []
    const reason = [...errors.map(rowReason), ...(linked?.faultsOf(one) ?? [])].join(' ')
    return [{ line: one.line, cells: one.cells, reason }]
  })
  const { created, updated, unchanged } = meta
  return { counts: { created, updated, unchanged }, refused }
}

async function storePortion(
  tx: Tx,
  { workspaceId, now, linked }: Writing,
  { id: importId }: ImportRow,
  { rows, from, to }: RowPortion,
  { counts: { created, updated, unchanged }, refused }: Outcome,
): Promise<void> {
  const row = await importRows.lock(tx, workspaceId, importId)
  if (row === undefined || row.state !== 'running' || row.position !== from) throw new ImportStopped()
  const faulty = rows.flatMap((one) =>
    'reason' in one ? [{ line: one.line, cells: one.cells, reason: one.reason }] : [],
  )
  const progress = row.rows_done + rows.length
  const created_linked = { ...row.created_linked }
  for (const [object, number] of Object.entries(linked?.takeCreated() ?? {}))
    created_linked[object] = (created_linked[object] ?? 0) + number
  await insertRejects(tx, { workspaceId, importId }, [...refused, ...faulty])
  await importRows.update(tx, workspaceId, importId, {
    position: to,
    line: rows.at(-1)?.line ?? row.line,
    rows_done: progress,
    created: row.created + created,
    updated: row.updated + updated,
    unchanged: row.unchanged + unchanged,
    rejected: row.rejected + refused.length + faulty.length,
    created_linked,
  })
  await updateTask(tx, workspaceId, importId, now(), { progress })
}
