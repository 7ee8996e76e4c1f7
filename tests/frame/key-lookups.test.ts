import { beforeAll, describe, expect, test } from 'vitest'
import { loadModule, parseSync } from 'libpg-query'
import { openLookups } from '../harness/key-lookups.ts'

beforeAll(() => loadModule())

const open = (sql: string): string[] => openLookups((parseSync(sql) as { stmts: unknown[] }).stmts)

const byKey: Record<string, string> = {
  'a hidden deletion': 'select * from record where workspace_id = $1 and id = $2 and coalesce(deleted_at, 0) = 0',
  'no condition on the deletion': 'select deleted_at from record where workspace_id = $1 and id = any($2::uuid[])',
  'no id': 'select id from record where workspace_id = $1 and object = $2 and deleted_at is null',
  'the id of a table beside it':
    'select * from link as l join record as r on r.id = l.to_id where l.workspace_id = $1 and r.deleted_at is null',
  'a lookup that is fenced':
    'select * from (select x.* from record as x where x.workspace_id = $1 and x.id = $2 offset 0) as r ' +
    'where r.deleted_at is null',
  'a filter that happens to name an id':
    'select id from record where workspace_id = $1 and deleted_at is null and (id = $2 and version > $3)',
  'another table': 'select * from comment where id = $1 and deleted_at is null',
}

const permitsMore: Record<string, string> = {
  'a live record': 'select * from record where workspace_id = $1 and id = $2 and deleted_at is null',
  'live ones of some ids':
    'select * from record as r where r.workspace_id = $1 and r.id = any($2::uuid[]) and r.deleted_at is null',
  'one that was deleted after an instant': 'update record set version = 2 where id = $1 and deleted_at > $2',
  'one of an outer query':
    'select * from email as e where exists (select 1 from record as r where r.id = e.person_id and ' +
    'r.deleted_at is null)',
}

describe('a lookup by key', () => {
  test.each(Object.entries(byKey))('permits no other index: %s', (_, sql) => expect(open(sql)).toEqual([]))
  test.each(Object.entries(permitsMore))('permits another index: %s', (_, sql) => expect(open(sql)).toHaveLength(1))
})
