import { expect, test } from 'vitest'
import { tables } from '../columns.ts'
import { coordinatorTables, distributedTables } from './layout.ts'

test('every table either is distributed by its workspace or stays on the coordinator', () => {
  const columnsOf: Readonly<Record<string, object>> = tables
  for (const table of distributedTables) expect(Object.keys(columnsOf[table] ?? {}), table).toContain('workspace_id')
  const placed = [...distributedTables, ...coordinatorTables]
  expect(Object.keys(tables).filter((table) => !placed.includes(table))).toEqual([])
})
