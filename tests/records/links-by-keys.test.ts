import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { Client } from 'pg'
import { expect, inject, onTestFinished, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { recordsOf } from '../harness/records.ts'

/** More than a plan for few rows would scan. */
const links = 20_000
const idOf = (number: number): string => `01900000-0000-7000-8000-${String(number).padStart(12, '0')}`
const workspace = idOf(0)

test.runIf(inject('database') === 'postgres')(
  'Postgres finds the links of records by relationship and record, also where its statistics know nothing of either',
  async () => {
    const app = await startApp()
    const records = recordsOf(app)
    const company = await records.create('company', { name: 'Acme' })
    const texts = new Set<string>()
    const hear = (message: unknown) => texts.add((message as { readonly text: string }).text)
    subscribe('kontor:statement', hear)
    await records.remove('company', [company.id])
    unsubscribe('kontor:statement', hear)
    const ofLinks = [...texts].filter((text) => /"relationship", "to_id"\) in \(select/.test(text))
    expect(ofLinks.length).toBeGreaterThan(0)
    const client = new Client({ connectionString: app.databaseUrl })
    await client.connect()
    onTestFinished(() => client.end())
    await client.query('begin')
    const add = (relationship: string) =>
      client.query(`insert into link (workspace_id, relationship, from_id, to_id)
        select '${workspace}', '${relationship}', gen_random_uuid(), gen_random_uuid()
        from generate_series(1, ${links})`)
    await add('person.company')
    await client.query('analyze link')
    await add('deal.people')
    const values: Record<string, string> = {
      uuid: `'${workspace}'`,
      'text[]': "'{deal.people}'",
      'uuid[]': `'{${Array.from({ length: 100 }, (_, number) => idOf(number)).join(',')}}'`,
    }
    for (const text of ofLinks) {
      await client.query(`prepare explained as ${text}`)
      const { rows } = await client.query<{ types: string[] }>(
        "select parameter_types::text[] as types from pg_prepared_statements where name = 'explained'",
      )
      const given = rows[0]?.types.map((type) => values[type]).join(', ')
      const explained = await client.query(`explain execute explained (${given})`)
      await client.query('deallocate explained')
      const plan = explained.rows.map((row) => String(row['QUERY PLAN'])).join('\n')
      expect(plan).toMatch(/using link_reverse.*\n *Index Cond: \(.*relationship = .*to_id = /)
    }
    await client.query('rollback')
  },
)
