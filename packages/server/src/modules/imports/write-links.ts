import type { LinkedValue, Mapped } from '@kontor/contract/cells'
import { Failure } from '../../kernel/errors.ts'
import type { InProcessCall } from '../../kernel/invoke/in-process.ts'
import { isString } from '../../lib/guards.ts'
import type { LinkedRecords } from './linked.ts'

/** The relationship along which a file links records. */
export type LinkTarget = {
  readonly workspace: string
  readonly object: string
  readonly relationship: string
  /** The object at the other end. */
  readonly other: string
  readonly createMissing: boolean
  readonly isDryRun: boolean
  readonly silent: boolean
}

/**
 * Links the records that rows name, by one call for each record that links come from; returns the reasons of rows that
 * are refused, by their index. Repeating it is safe: a link that is there stays.
 */
export async function linkRows(
  call: InProcessCall,
  target: LinkTarget,
  linked: LinkedRecords,
  rows: readonly Mapped[],
): Promise<ReadonlyMap<number, string>> {
  const { object, relationship, createMissing } = target
  const ends = createMissing ? [object, relationship] : [object]
  await linked.ensure(rows.map((row) => ({ ...row, linked: pick(row.linked, ends) })))
  const refused = new Map<number, string>()
  const links = new Map<string, IndexedRow[]>()
  rows.forEach((row, index) => {
    const found = ends.map((end) => idOf(linked, row, end))
    const fault = found.find((one) => one.fault !== undefined)?.fault
    if (fault !== undefined) refused.set(index, fault)
    const [from] = found
    // In a dry run, what would be created has no id yet.
    if (fault === undefined && from?.id !== undefined && found.every(({ id }) => id !== undefined))
      links.set(from.id, [...(links.get(from.id) ?? []), { row, index }])
  })
  for (const [id, some] of links) await linkAll(call, target, id, some, refused)
  return refused
}

type IndexedRow = { readonly row: Mapped; readonly index: number }

const pick = (linked: Mapped['linked'], names: readonly string[]): Record<string, LinkedValue> =>
  Object.fromEntries(Object.entries(linked).filter(([name]) => names.includes(name)))

type FoundEnd = { readonly id?: string | undefined; readonly fault?: string | undefined }

function idOf(linked: LinkedRecords, { attributes, linked: values }: Mapped, end: string): FoundEnd {
  const named = attributes[end]
  const value = values[end]
  return isString(named) ? { id: named } : value === undefined ? {} : linked.found(value)
}

/** Adds links of one record, all or none; those that are refused are left out, and the others are tried again. */
async function linkAll(
  call: InProcessCall,
  target: LinkTarget,
  id: string,
  rows: readonly IndexedRow[],
  refused: Map<number, string>,
): Promise<void> {
  if (rows.length === 0) return
  const { workspace, object, relationship, other, isDryRun, silent } = target
  const data = rows.map(({ row }) => ({ type: other, id: row.attributes[relationship] }))
  const flags = { ...(silent && { silent }), ...(isDryRun && { dry_run: true }) }
  try {
    await call('relationships.add', { workspace, object, id, relationship, body: { data }, ...flags })
  } catch (error) {
    if (!(error instanceof Failure) || isPassing(error)) throw error
    const reasons = reasonsOf(error, target, rows)
    for (const [index, reason] of reasons) refused.set(index, reason)
    const left = rows.filter(({ index }) => !reasons.has(index))
    await linkAll(call, target, id, left, refused)
  }
}

/** Returns whether a failure says nothing of the rows. */
const isPassing = ({ status, retryAfterSeconds }: Failure): boolean =>
  status === 401 || status >= 500 || retryAfterSeconds !== undefined

/** The reasons why rows were refused: of those that the failure names, otherwise of all. */
function reasonsOf(
  { faults, message }: Failure,
  { relationship, other }: LinkTarget,
  rows: readonly IndexedRow[],
): ReadonlyMap<number, string> {
  const reasons = new Map<number, string>()
  const missing = new Set(faults.flatMap(({ meta }): unknown[] => [meta?.['ids']].flat()))
  for (const { source, detail = message } of faults) {
    const at = /^\/data\/(\d+)/.exec(source?.pointer ?? '')?.[1]
    const row = at === undefined ? undefined : rows[Number(at)]
    if (row !== undefined) reasons.set(row.index, detail)
  }
  for (const { row, index } of rows)
    if (missing.has(row.attributes[relationship]))
      reasons.set(index, `There is no ${other} with this id that you may see.`)
  if (reasons.size > 0) return reasons
  const all = faults.map(({ detail = message }) => detail).join(' ')
  return new Map(rows.map(({ index }) => [index, all]))
}
