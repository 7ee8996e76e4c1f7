import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { expect, inject, onTestFinished, test } from 'vitest'
import { Client } from 'pg'
import { startApp } from '../harness/app.ts'
import { recordsOf } from '../harness/records.ts'

/** More than a plan for few rows would scan. */
const documents = 20_000

test.runIf(inject('database') === 'postgres')(
  'Postgres reads unindexed documents from behind the last one on, not the table from its beginning',
  async () => {
    const app = await startApp({ fieldIndexThreshold: 10 })
    const records = recordsOf(app)
    const texts = new Set<string>()
    const hear = (message: unknown) => texts.add((message as { readonly text: string }).text)
    subscribe('kontor:statement', hear)
    await records.createMany(
      'company',
      Array.from({ length: 30 }, (_, number) => ({ name: `Company ${number}` })),
    )
    await app.startJobs()
    const taking = () => [...texts].filter((text) => /"grams" is null.*order by "record_id".*for update/.test(text))
    await expect
      .poll(async () => {
        await records.list('company', { search: 'company' })
        return taking()
      })
      .toHaveLength(1)
    unsubscribe('kontor:statement', hear)
    const client = new Client({ connectionString: app.databaseUrl })
    await client.connect()
    onTestFinished(() => client.end())
    const workspace = '01900000-0000-7000-8000-000000000000'
    await client.query('begin')
    await client.query(`insert into search_document
        (workspace_id, record_id, object, created_at, title_text, document_text)
      select '${workspace}', gen_random_uuid(), 'company', n, '', '' from generate_series(1, ${documents}) as n`)
    const values: Record<string, string> = { uuid: `'${workspace}'`, text: `'company'`, bigint: '1000' }
    for (const hasStatistics of [false, true]) {
      if (hasStatistics) await client.query('analyze search_document')
      await client.query(`prepare explained as ${taking()[0]}`)
      const { rows } = await client.query<{ types: string[] }>(
        "select parameter_types::text[] as types from pg_prepared_statements where name = 'explained'",
      )
      const given = rows[0]?.types.map((type) => values[type]).join(', ')
      const explained = await client.query(`explain execute explained (${given})`)
      await client.query('deallocate explained')
      const plan = explained.rows.map((row) => String(row['QUERY PLAN'])).join('\n')
      expect(plan).toMatch(/Index Scan using .*\n *Index Cond: \(.*record_id > /)
      expect(plan).not.toMatch(/Sort/)
    }
    await client.query('rollback')
  },
)
