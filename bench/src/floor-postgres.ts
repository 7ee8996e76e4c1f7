import { Pool, TypeOverrides } from 'pg'
import type { StoredRecord } from './answers.ts'
import { searched, shown, visibleOf, visibleTotal, type FloorStore, type Order } from './floor-store.ts'

const types = new TypeOverrides()
types.setTypeParser(20, Number)
types.setTypeParser(1700, Number)

const byIds = `select ${shown} from record where workspace_id = $1 and id = any($2::uuid[])`

/** Values by name, in the order in which `numbered` puts them. */
const given = ['workspaceId', 'userId', 'text', 'limit'] as const
type Values = Readonly<Partial<Record<(typeof given)[number], string | number>>>

/** A named statement whose `:name` are numbers, and how its values follow each other. */
const numbered = (name: string, text: string) => {
  const used = given.filter((one) => text.includes(`:${one}`))
  return (values: Values) => ({
    name,
    text: text.replaceAll(/(?<!:):(\w+)/g, (_, one: (typeof given)[number]) => `$${used.indexOf(one) + 1}`),
    values: used.map((one) => values[one]),
  })
}
const visible: Readonly<Record<Order, ReturnType<typeof numbered>>> = {
  creation: numbered('visible by creation', visibleOf.creation),
  name: numbered('visible by name', visibleOf.name),
  score: numbered('visible by score', visibleOf.score),
}
const totalVisible = numbered('total visible', visibleTotal)
const search = numbered('search', searched)

/** Postgres through a pool, every statement named, statements that need no answer in between sent together. */
export function postgresFloor(url: string): FloorStore {
  const pool = new Pool({
    connectionString: url,
    max: 10,
    pipeline: true,
    types,
    options: '-c max_parallel_workers_per_gather=0 -c jit=off',
  })
  const inOrder = async (workspaceId: string, ids: readonly string[]) => {
    const { rows } = await pool.query<StoredRecord>({ name: 'by-ids', text: byIds, values: [workspaceId, ids] })
    const found = new Map(rows.map((row) => [row.id, row]))
    return ids.map((id) => found.get(id) as StoredRecord)
  }
  return {
    async search(workspaceId, text, limit) {
      const { rows } = await pool.query<StoredRecord & { total: number }>(search({ workspaceId, text, limit }))
      return { rows, total: rows[0]?.total ?? 0 }
    },
    async visible(workspaceId, userId, order, limit) {
      const values = { workspaceId, userId, limit }
      const page = async () => {
        const { rows } = await pool.query<{ id: string }>(visible[order](values))
        return inOrder(
          workspaceId,
          rows.map(({ id }) => id),
        )
      }
      const [rows, { rows: totals }] = await Promise.all([page(), pool.query<{ total: number }>(totalVisible(values))])
      return { rows, total: totals[0]?.total ?? 0 }
    },
    close: () => pool.end(),
  }
}
