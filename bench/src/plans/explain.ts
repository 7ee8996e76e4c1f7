import Driver from 'better-sqlite3'
import { Client, escapeLiteral } from 'pg'
import type { Statement } from './listening.ts'

/** The plan by which a database runs a query, line by line, without what differs from run to run. */
export type Explainer = {
  readonly explain: (statement: Statement) => Promise<string[]>
  readonly close: () => Promise<void>
}

/**
 * `hurried: false` has Postgres scan a table from end to end, or sort all rows of one, only where no index can help,
 * however few rows there are.
 */
export type ExplainOptions = { readonly hurried?: boolean }

export const explainerOf = (url: string, options: ExplainOptions = {}): Promise<Explainer> =>
  url.startsWith('sqlite:') ? sqliteExplainer(url.slice('sqlite:'.length)) : postgresExplainer(url, options)

/** A value as the server binds it: SQLite has neither booleans nor lists. */
const bound = (value: unknown): unknown =>
  typeof value === 'boolean' ? Number(value) : Array.isArray(value) ? JSON.stringify(value) : value

/** With the settings of the server that bear on plans. */
async function sqliteExplainer(path: string): Promise<Explainer> {
  const db = new Driver(path, { readonly: true })
  db.pragma('automatic_index = OFF')
  // To plan a query, the name of the function is enough.
  db.function('kontor_fold', { deterministic: true }, (text: unknown) => text)
  return {
    async explain({ text, values }) {
      const rows = db
        .prepare<unknown[], { id: number; parent: number; detail: string }>(`explain query plan ${text}`)
        .all(...values.map(bound))
      const depths = new Map<number, number>()
      return rows.map(({ id, parent, detail }) => {
        const depth = (depths.get(parent) ?? -1) + 1
        depths.set(id, depth)
        return `${'  '.repeat(depth)}${detail}`
      })
    },
    async close() {
      db.close()
    },
  }
}

/** As often as Postgres plans a prepared statement anew; from then on it may keep one plan for all values. */
const plannedAnew = 5

/**
 * As the server's connections: a named prepared statement, its first plan and, where another takes its place after five
 * calls, that one too.
 */
async function postgresExplainer(url: string, { hurried = true }: ExplainOptions): Promise<Explainer> {
  const client = new Client({
    connectionString: url,
    options: `-c max_parallel_workers_per_gather=0 -c jit=off -c enable_seqscan=${hurried} -c enable_sort=${hurried}`,
  })
  await client.connect()
  let number = 0
  return {
    async explain({ text, values }) {
      const name = `s${++number}`
      await client.query(`prepare ${name} as ${text}`)
      const call = values.length === 0 ? name : `${name} (${values.map(literal).join(', ')})`
      const plans: string[][] = []
      for (let time = 0; time <= plannedAnew; time++) {
        const { rows } = await client.query<Record<'QUERY PLAN', string>>(`explain (costs off) execute ${call}`)
        plans.push(rows.map((row) => levelled(row['QUERY PLAN'])))
      }
      await client.query(`deallocate ${name}`)
      const [first, last] = [plans[0] as string[], plans.at(-1) as string[]]
      return first.join('\n') === last.join('\n') ? first : [...first, 'after five calls:', ...last]
    },
    close: () => client.end(),
  }
}

/** As the driver would send it: arrays in Postgres's own notation. */
function literal(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (Array.isArray(value)) return escapeLiteral(`{${value.map((item) => JSON.stringify(item)).join(',')}}`)
  return escapeLiteral(typeof value === 'string' ? value : JSON.stringify(value))
}

/** Values, whether planned for or left open, and the number of the partition. */
const levelled = (line: string): string =>
  line
    .replaceAll(/'(?:[^']|'')*'(?:::[a-z ]+(?:\(\d+\))?(?:\[\])?)?|\$\d+(?:::[a-z]+(?:\[\])?)?/g, '?')
    .replaceAll(/_p\d\d(?=_|\b)/g, '')
