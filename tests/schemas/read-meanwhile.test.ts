import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { recordsOf } from '../harness/records.ts'
import { schemasPath } from '../harness/schemas.ts'
import { until } from '../harness/until.ts'

const token = 'a-token-of-the-operator'
// Requests that wait for a turn do so until the test lets them go.
const app = await startApp({ statementTimeoutMs: 600_000, metricsToken: token })
const records = recordsOf(app)

/** More than are read without a turn. */
const many = 501

const isWaiting = async (): Promise<boolean> => {
  const { body } = await app.http.send({
    method: 'GET',
    url: `${app.origin}/metrics`,
    headers: { Authorization: `Bearer ${token}` },
  })
  return /^kontor_database_reads_waiting [1-9]/m.test(body)
}

test('a list that shows what was written behind a change of the schema shows the field of that change', async () => {
  const release = await app.holdScans(await app.workspaceId('acme'))
  const rows = Array.from({ length: many }, (_, index) => ({ job_title: `No ${index}` }))
  const [first] = await records.createMany('person', rows)
  const listed = records.list('person', { 'filter[job_title]': 'No 0' })
  await until(isWaiting)
  const data = { type: 'schema-properties', attributes: { nickname: { type: 'string' } } }
  expect((await app.api.post(`${schemasPath}/person/properties`, { body: { data } })).status).toBe(202)
  expect((await records.patch('person', first!.id, { description: 'Changed', nickname: 'Al' })).status).toBe(200)
  await release()
  const { status, body } = await listed
  expect([status, body.meta.total_records]).toEqual([200, 1])
  expect(body.data[0].attributes).toMatchObject({ description: 'Changed', nickname: 'Al' })
})
