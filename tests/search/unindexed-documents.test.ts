import { expect, inject, onTestFinished, test } from 'vitest'
import { Client } from 'pg'
import { startApp } from '../harness/app.ts'
import { recordsOf } from '../harness/records.ts'
import { planOf, statementsOf } from '../harness/statement-plans.ts'

/** More than a plan for few rows would scan. */
const documents = 20_000

test.runIf(inject('database') === 'postgres')(
  'Postgres reads unindexed documents from behind the last one on, not the table from its beginning',
  async () => {
    const app = await startApp({ fieldIndexThreshold: 10 })
    const records = recordsOf(app)
    const sent = await statementsOf(async () => {
      await records.createMany(
        'company',
        Array.from({ length: 30 }, (_, number) => ({ name: `Company ${number}` })),
      )
      await app.startJobs()
      await records.list('company', { search: 'company' })
      await expect.poll(() => app.searchIndexed()).toBeGreaterThan(0)
    })
    const texts = sent.filter((text) => /"grams" is null.*order by "record_id".*for update/.test(text))
    expect(texts).toHaveLength(1)
    const client = new Client({ connectionString: app.databaseUrl })
    await client.connect()
    onTestFinished(() => client.end())
    const workspace = '01900000-0000-7000-8000-000000000000'
    await client.query('begin')
    await client.query(`insert into search_document
        (workspace_id, record_id, object, created_at, title_text, document_text)
      select '${workspace}', gen_random_uuid(), 'company', n, '', '' from generate_series(1, ${documents}) as n`)
    const values = { uuid: `'${workspace}'`, text: `'company'`, bigint: '1000' }
    for (const hasStatistics of [false, true]) {
      if (hasStatistics) await client.query('analyze search_document')
      const plan = await planOf(client, texts[0]!, values)
      expect(plan).toMatch(/Index Scan using .*\n *Index Cond: \(.*record_id > /)
      expect(plan).not.toMatch(/Sort/)
    }
    await client.query('rollback')
  },
)
