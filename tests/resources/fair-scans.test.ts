import { expect, onTestFinished, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { httpClient } from '../harness/http.ts'

// Requests that wait for a turn do so until the test lets them go.
const app = await startApp({ statementTimeoutMs: 600_000 })
const { api, baseUrl, credentials } = app

/** More than are read without a turn. */
const many = 501

/** Of one workspace a quarter of a thousand scans wait; each filter takes one for its page and one for its total. */
const flood = 300

const persons = (workspace: string) => `/workspaces/${workspace}/objects/person`

async function fill(workspace: string, as: 'admin' | 'stranger'): Promise<void> {
  const data = Array.from({ length: many }, (_, score) => ({
    type: 'person',
    attributes: { job_title: `No ${score}` },
  }))
  const { status } = await api.post(`${persons(workspace)}/records/bulk`, { as, body: { data } })
  expect(status).toBe(201)
}

const other = (object: string, filter: string) =>
  api.get(`/workspaces/other/objects/${object}/resources`, { as: 'stranger', query: { [filter]: 'No 500' } })

test('a workspace that floods the server with filters fills its own share, and no other waits for that', async () => {
  const release = await app.holdScans(await app.workspaceId('acme'))
  await fill('acme', 'admin')
  await fill('other', 'stranger')
  const http = httpClient(flood)
  onTestFinished(() => http.close())
  const headers = { Authorization: `api-key ${credentials.keys.adminKey}` }
  let refused = 0
  const flooding = Array.from({ length: flood }, async (_, score) => {
    const url = `${baseUrl}${persons('acme')}/resources?filter[job_title]=No%20${score}`
    const answer = await http.send({ method: 'GET', url, headers })
    if (answer.status === 503) refused++
    return answer
  })
  await expect.poll(() => refused).toBeGreaterThan(0)

  const [few, one] = await Promise.all([other('company', 'filter[industry]'), other('person', 'filter[job_title]')])
  expect(few).toMatchObject({ status: 200, body: { data: [] } })
  expect(one).toMatchObject({ status: 200, body: { data: [{}], meta: { total_records: 1 } } })

  await release()
  const answers = await Promise.all(flooding)
  const served = answers.filter(({ status }) => status === 200)
  expect(served.length).toBeGreaterThan(0)
  for (const { body } of served) expect(body.meta.total_records).toBe(1)
  for (const { headers: told, body } of answers.filter(({ status }) => status !== 200)) {
    expect(body.errors[0]).toMatchObject({ status: '503', code: 'overloaded' })
    expect(told['retry-after']).toBe('1')
  }
})
