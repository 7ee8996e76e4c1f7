import pg from 'pg'
import { describe, expect, inject, test } from 'vitest'
import { createDatabase, dropDatabase, ensureTemplate } from './postgres.ts'

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(text)).rows
  } finally {
    await client.end()
  }
}

test('every file runs once for each database', ({ task }) => {
  expect(inject('database')).toBe(task.file.projectName)
})

describe.runIf(inject('database') === 'postgres')("the run's own Postgres", () => {
  test('speaks UTF-8 and has the extensions that the server needs', async () => {
    const url = await createDatabase('harness_extensions')
    await query(url, 'create extension pg_trgm; create extension btree_gin')
    expect(await query(url, "select 'Zoë' as name, current_setting('server_encoding') as encoding")).toEqual([
      { name: 'Zoë', encoding: 'UTF8' },
    ])
    await dropDatabase('harness_extensions')
  })

  test('copies a template that is built once', async () => {
    let built = 0
    const build = async (url: string) => {
      built++
      await query(url, 'create table person as select 1 as id')
    }
    await Promise.all([ensureTemplate('harness_template', build), ensureTemplate('harness_template', build)])
    expect(built).toBe(1)
    const url = await createDatabase('harness_copy', 'harness_template')
    expect(await query(url, 'select id from person')).toEqual([{ id: 1 }])
    await dropDatabase('harness_copy')
    await dropDatabase('harness_template')
  })
})
