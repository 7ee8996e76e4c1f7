import { expect, test } from 'vitest'
import { PendingChanges } from './pending-changes.ts'

const workspace_id = '01900000-0000-7000-8000-000000000000'
const count = { workspace_id, object: 'person', total: 1 }
const key = { workspace_id, record_id: workspace_id }

test('changes of several tables are one statement with its parameters in a row', () => {
  const pending = new PendingChanges()
  pending.add({ change: 'insert', table: 'record_count', rows: [count] })
  pending.add({ change: 'delete', table: 'search_document', rows: [key] })
  expect(pending.take()).toEqual([
    {
      text:
        'with c0 as (insert into record_count (workspace_id, object, total) values ($1, $2, $3)) ' +
        'delete from search_document where workspace_id = $4 and record_id = $5',
      values: [workspace_id, 'person', 1, workspace_id, workspace_id],
    },
  ])
  expect(pending.take()).toEqual([])
})

test('a table that is changed twice is changed in that order, by two statements', () => {
  const pending = new PendingChanges()
  pending.add({ change: 'insert', table: 'record_count', rows: [count] })
  pending.add({ change: 'update', table: 'record_count', keys: ['workspace_id', 'object'], rows: [count] })
  expect(pending.take().map(({ text }) => text.split(' ')[0])).toEqual(['insert', 'update'])
})

test('two updates of the same rows are one', () => {
  const keys = ['workspace_id', 'id']
  const [first, second] = [
    { workspace_id, id: workspace_id },
    { workspace_id, id: '01900000-0000-7000-8000-000000000001' },
  ]
  const updates = (rows: readonly object[]) => {
    const pending = new PendingChanges()
    const changes = [rows.map((row) => ({ ...row, version: 2 })), [{ ...first, visibility: 1 }]]
    for (const change of changes) pending.add({ change: 'update', table: 'record', keys, rows: change })
    return pending.take()
  }
  expect(updates([first])).toEqual([
    {
      text: 'update record set version = $3, visibility = $4 where workspace_id = $1 and id = $2',
      values: [workspace_id, workspace_id, 2, 1],
    },
  ])
  expect(updates([second])).toHaveLength(2)
  expect(updates([first, second])).toHaveLength(2)
  const pending = new PendingChanges()
  pending.add({ change: 'update', table: 'record', keys, rows: [{ ...first, version: 2 }] })
  for (const change of ['delete', 'insert'] as const) pending.add({ change, table: 'search_document', rows: [key] })
  pending.add({ change: 'update', table: 'record', keys, rows: [{ ...first, visibility: 1 }] })
  expect(pending.take().map(({ text }) => text.match(/update|delete|insert/g))).toEqual([
    ['update', 'delete'],
    ['insert'],
  ])
})

test('changes of many rows are statements of their own, each with its own time', () => {
  const pending = new PendingChanges()
  const many = Array.from({ length: 1000 }, (_, index) => ({ ...count, object: `object ${index}` }))
  pending.add({ change: 'delete', table: 'search_document', rows: [key] })
  pending.add({ change: 'insert', table: 'record_count', rows: many })
  pending.add({ change: 'delete', table: 'unique_key', rows: [key] })
  expect(pending.take().map(({ text }) => text.split(' ')[0])).toEqual(['delete', 'insert', 'delete'])
})
