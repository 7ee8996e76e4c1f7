import type { RowChange } from './executor.ts'
import { changeRows } from './postgres-rows.ts'

type Sent = { readonly text: string; readonly values: readonly unknown[] }

/**
 * Most rows of several changes in one statement. With more it runs so long that another statement costs next to
 * nothing, and all changes in it would share one statement timeout.
 */
const rowsMax = 1000

type Joined = { readonly tables: Set<string>; readonly parts: Sent[]; rows: number }

/**
 * Changes of rows that answer nothing, on their way to Postgres. They wait for the next statement that does, or for the
 * commit, and go as one statement: each statement costs a wake-up and a system call of its own on both sides, which is
 * more than most changes do. A transaction that updates a record, its search document, its feed and the outbox takes
 * half of the time (docs/decisions/0148).
 */
export class PendingChanges {
  #statements: Joined[] = []

  /** Parts of one statement do not see each other, so each changes another table. */
  add(change: RowChange): void {
    let last = this.#statements.at(-1)
    if (last === undefined || last.tables.has(change.table) || last.rows + change.rows.length > rowsMax)
      this.#statements.push((last = { tables: new Set(), parts: [], rows: 0 }))
    last.tables.add(change.table)
    last.rows += change.rows.length
    last.parts.push(changeRows(change))
  }

  /** The statements that make the changes; they wait no longer. */
  take(): { readonly text: string; readonly values: unknown[] }[] {
    if (this.#statements.length === 0) return []
    const taken = this.#statements.map(({ parts }) => ({
      text: joinTexts(parts),
      values: parts.flatMap(({ values }) => values),
    }))
    this.#statements = []
    return taken
  }
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
