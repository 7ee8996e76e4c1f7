import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { mcpOf, protocols, rowsOf } from '../harness/mcp.ts'

const app = await startApp()

describe.each(protocols)('an agent that speaks %s', (protocol) => {
  test('finds a person, corrects them after a dry run, and answers a question in numbers', async () => {
    const { call } = await mcpOf(app, { protocol })
    const name = `Ada ${protocol}`
    const made = await call('create', {
      object: 'person',
      records: [{ name: { first_name: 'Ada', last_name: protocol }, job_title: 'Poet' }],
    })
    expect(made.text).toContain('Created 1.')

    const [found] = rowsOf((await call('search', { query: name })).text)
    expect(found).toMatchObject({ object: 'person', name })
    const change = { object: 'person', records: [{ id: found?.['id'], attributes: { job_title: 'Engineer' } }] }
    const rehearsed = await call('update', { ...change, dry_run: true })
    expect(rowsOf(rehearsed.text)).toEqual([{ field: `${found?.['id']}.job_title`, before: 'Poet', after: 'Engineer' }])
    expect((await call('read', { object: 'person', id: found?.['id'] })).text).toContain('- job_title: Poet')
    await call('update', change)
    expect((await call('read', { object: 'person', id: found?.['id'] })).text).toContain('- job_title: Engineer')

    const company = `Analytical ${protocol}`
    const firm = await call('create', { object: 'company', records: [{ name: company }] })
    const companyId = rowsOf(firm.text)[0]?.['id']
    await call('create', {
      object: 'deal',
      records: [
        { name: `One ${protocol}`, amount: 100, stage: 'Won', company_id: companyId },
        { name: `Two ${protocol}`, amount: 250, stage: 'Won', company_id: companyId },
      ],
    })
    const sums = await call('aggregate', {
      object: 'deal',
      filter: { field: 'company_id.name', op: 'Is', value: company },
      group_by: [{ field: 'company_id' }],
      measures: [{ function: 'sum', field: 'amount' }],
    })
    expect(rowsOf(sums.text)).toEqual([{ company_id: `${company} (${companyId})`, sum_amount: '350' }])
    const query = `SELECT stage, sum(amount) AS total FROM deal WHERE name LIKE '%${protocol}' GROUP BY stage`
    expect(rowsOf((await call('sql', { query })).text)).toEqual([{ stage: 'Won', total: '350' }])
  })
})
