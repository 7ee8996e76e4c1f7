import { isDeepStrictEqual } from 'node:util'
import { LRUCache } from 'lru-cache'
import type { TableName } from './columns.ts'
import type { Row, RowChange } from './executor.ts'
import { changeRows } from './postgres-rows.ts'

type Sent = { readonly text: string; readonly values: readonly unknown[] }

/**
 * Most rows of several changes in one statement. With more it runs so long that another statement costs next to
 * nothing, and all changes in it would share one statement timeout.
 */
const rowsMax = 1000

type Joined = { readonly changes: Map<TableName, RowChange>; rows: number }

/**
 * Changes of rows that answer nothing, on their way to Postgres. They wait for the next statement that does, or for the
 * commit, and go as one statement: each statement costs a wake-up and a system call of its own on both sides, which is
 * more than most changes do. A transaction that updates a record, its search document, its feed and the outbox takes
 * half of the time (docs/decisions/0366).
 */
export class PendingChanges {
  #statements: Joined[] = []

  /** Parts of one statement do not see each other, so each changes another table. */
  add(change: RowChange): void {
    if (this.#join(change)) return
    let last = this.#statements.at(-1)
    if (last === undefined || last.changes.has(change.table) || last.rows + change.rows.length > rowsMax)
      this.#statements.push((last = { changes: new Map(), rows: 0 }))
    last.changes.set(change.table, change)
    last.rows += change.rows.length
  }

  /** Joins an update with the last one of its table, where both are of the same rows. */
  #join(change: RowChange): boolean {
    const changes = this.#statements.findLast((statement) => statement.changes.has(change.table))?.changes
    const waiting = changes?.get(change.table)
    const joined = waiting && updatedTwice(waiting, change)
    if (joined !== undefined) changes?.set(change.table, joined)
    return joined !== undefined
  }

  /** The statements that make the changes; they wait no longer. */
  take(): { readonly text: string; readonly values: unknown[] }[] {
    if (this.#statements.length === 0) return []
    const taken = this.#statements.map(({ changes }) => {
      const parts = [...changes.values()].map(changeRows)
      return { text: joinedText(parts), values: parts.flatMap(({ values }) => values) }
    })
    this.#statements = []
    return taken
  }
}

/** Two updates of the same rows as one: a record, and the end of its feed. */
function updatedTwice(first: RowChange, second: RowChange): RowChange | undefined {
  if (first.change !== 'update' || second.change !== 'update') return undefined
  const { keys = [] } = first
  if (first.rows.length !== second.rows.length || !isDeepStrictEqual(keys, second.keys)) return undefined
  const rows: Row[] = []
  for (const [index, row] of first.rows.entries()) {
    const other = second.rows[index]
    if (other === undefined || keys.some((key) => row[key] !== other[key])) return undefined
    rows.push({ ...row, ...other })
  }
  return { ...first, rows }
}

// Made of the texts of its parts, whichever database it goes to.
// oxlint-disable-next-line kontor/module-state
const joinedTexts = new LRUCache<string, string>({ max: 500 })

/** The text of one statement with these parts, which most changes make again and again. */
function joinedText(parts: readonly Sent[]): string {
  const key = parts.map(({ text }) => text).join(';')
  let text = joinedTexts.get(key)
  if (text === undefined) joinedTexts.set(key, (text = joinTexts(parts)))
  return text
}

/** `with c0 as (…), c1 as (…) …`: all parts but the last as common table expressions, their parameters renumbered. */
function joinTexts(parts: readonly Sent[]): string {
  let before = 0
  const texts = parts.map(({ text, values }) => {
    const offset = before
    before += values.length
    return offset === 0 ? text : text.replaceAll(/\$(\d+)/g, (_, number) => `$${Number(number) + offset}`)
  })
  const last = texts.pop() ?? ''
  return texts.length === 0 ? last : `with ${texts.map((text, index) => `c${index} as (${text})`).join(', ')} ${last}`
}
