import Driver from 'better-sqlite3'
import type { StoredRecord } from './answers.ts'
import { searched, shown, visibleOf, visibleTotal, type FloorStore } from './floor-store.ts'

type Stored = Omit<StoredRecord, 'data'> & { data: string }

const decoded = (row: Stored): StoredRecord => ({ ...row, data: JSON.parse(row.data) as StoredRecord['data'] })

/** SQLite with statements prepared once. */
export function sqliteFloor(path: string): FloorStore {
  const db = new Driver(path, { timeout: 5000, readonly: true })
  db.pragma('mmap_size = 268435456')
  const byIds = db.prepare<string[], Stored>(
    `select ${shown} from record where workspace_id = ? and id in (select value from json_each(?))`,
  )
  const search = db.prepare<object, Stored & { total: number }>(searched)
  const visible = {
    creation: db.prepare<object, { id: string }>(visibleOf.creation),
    name: db.prepare<object, { id: string }>(visibleOf.name),
    score: db.prepare<object, { id: string }>(visibleOf.score),
  }
  const totalVisible = db.prepare<object, { total: number }>(visibleTotal)
  const inOrder = (workspaceId: string, order: readonly string[]): StoredRecord[] => {
    const found = new Map(byIds.all(workspaceId, JSON.stringify(order)).map((row) => [row.id, row]))
    return order.map((id) => decoded(found.get(id) as Stored))
  }
  return {
    async search(workspaceId, text, limit) {
      const found = search.all({ workspaceId, text, limit })
      return { rows: found.map(decoded), total: found[0]?.total ?? 0 }
    },
    async visible(workspaceId, userId, order, limit) {
      const ids = visible[order].all({ workspaceId, userId, limit }).map(({ id }) => id)
      return {
        rows: inOrder(workspaceId, ids),
        total: totalVisible.get({ workspaceId, userId })?.total ?? 0,
      }
    },
    async close() {
      db.close()
    },
  }
}
