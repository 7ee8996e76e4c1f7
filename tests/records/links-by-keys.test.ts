import { Client } from 'pg'
import { expect, inject, onTestFinished, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { recordsOf } from '../harness/records.ts'
import { planOf, statementsOf } from '../harness/statement-plans.ts'

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
    const sent = await statementsOf(() => records.remove('company', [company.id]))
    const ofLinks = sent.filter((text) => /"relationship", "to_id"\) in \(select/.test(text))
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
    const values = {
      uuid: `'${workspace}'`,
      'text[]': "'{deal.people}'",
      'uuid[]': `'{${Array.from({ length: 100 }, (_, number) => idOf(number)).join(',')}}'`,
    }
    for (const text of ofLinks)
      expect(await planOf(client, text, values)).toMatch(
        /using link_reverse.*\n *Index Cond: \(.*relationship = .*to_id = /,
      )
    await client.query('rollback')
  },
)
