import { hasNoRecordWith } from '@kontor/contract'
import { count } from '../output.ts'

/** A rejected row. */
export type Rejection = { readonly line: number; readonly reason: string }

/** Rejected rows that are shown one by one. */
const shownMax = 10

/** Reasons that are counted; what a reason quotes from its row makes each its own. */
const countedMax = 1000

/** Parts of a reason that differ from row to row: what it quotes, and ids. */
const quoted = /"[^"]*"/g
const ids = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g

/** Why rows were rejected: the first of them, and how many there are for each reason. */
export class Reasons {
  readonly first: { readonly line: number; readonly reason: string }[] = []
  #isAnyMissing = false
  readonly #counted = new Map<string, number>()

  /** Counts the next row, in the order of the file. */
  add({ line, reason }: Rejection): void {
    if (this.first.length < shownMax) this.first.push({ line, reason })
    this.#isAnyMissing ||= hasNoRecordWith(reason)
    const kind = reason.replaceAll(quoted, '"…"').replaceAll(ids, '…')
    const known = this.#counted.has(kind) || this.#counted.size < countedMax ? kind : 'Other reasons'
    this.#counted.set(known, (this.#counted.get(known) ?? 0) + 1)
  }

  /** True if a row names a linked record that does not exist. */
  get isAnyMissing(): boolean {
    return this.#isAnyMissing
  }

  /** Numbers of rows that were rejected for each reason, the most frequent first. */
  counts(): { readonly reason: string; readonly rows: number }[] {
    return [...this.#counted]
      .map(([reason, rows]) => ({ reason, rows }))
      .toSorted((one, other) => other.rows - one.rows)
  }

  /** The same for people: the first rows, and the reasons if there are more rows. */
  inWords(): string[] {
    const counts = this.counts()
    const total = counts.reduce((sum, { rows }) => sum + rows, 0)
    const lines = this.first.map(({ line, reason }) => `  line ${line}: ${reason}`)
    if (total <= this.first.length) return lines
    const shown = counts.slice(0, shownMax).map(({ reason, rows }) => `  ${count(rows, 'row')}: ${reason}`)
    return [...lines, 'By reason:', ...shown, ...(counts.length > shownMax ? ['  and more'] : [])]
  }
}
