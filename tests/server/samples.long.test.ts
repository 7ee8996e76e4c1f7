import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { kontor } from '../cli/kontor.ts'
import { emptyDatabase } from '../harness/database.ts'
import { httpClient, type Answer, type Json } from '../harness/http.ts'
import { scratchFolder } from '../harness/scratch.ts'
import { startServer } from '../harness/server-process.ts'
import { asExample, missingMembers } from './as-example.ts'
import { samplesOf, type Sample } from './samples.ts'

/** The answers that the document shows; `KONTOR_RECORD=1` before this test writes them anew. */
const answersFile = new URL('../../packages/contract/src/openapi/answers.json', import.meta.url)

type Recorded = Record<string, { status: number; body: unknown }>

/** The age of a record, or of its last change. */
const days = (record: Json, field = '_created_at'): number =>
  (Date.now() - Date.parse(record.attributes[field])) / 86_400_000

const valuesOf = (records: Json[], field: string): Set<unknown> =>
  new Set(records.map(({ attributes }) => attributes[field]))

test(
  'every documented sample runs as it stands beside the sample data',
  { timeout: 180_000 },
  async ({ onTestFinished }) => {
    const scratch = await emptyDatabase()
    const http = httpClient()
    onTestFinished(async () => {
      http.close()
      await scratch.remove()
    })
    const env = { DATA_DIR: await scratchFolder(), DATABASE_URL: scratch.url }
    const server = await startServer(scratch.url, { ...env, KONTOR_DEMO: '1' })
    const key = readFileSync(join(env.DATA_DIR, 'demo-api-key'), 'utf8').trim()
    const token = (await kontor(['token', '--email', 'admin@example.com'], env)).stdout.trim()
    const samples = samplesOf((await http.send({ method: 'GET', url: `${server.baseUrl}/openapi.json` })).body)
    expect(samples.length).toBeGreaterThan(70)

    const call = async ({ name, method, url, body, needsUser }: Sample): Promise<Answer> => {
      const headers = {
        Authorization: needsUser ? `Bearer ${token}` : `api-key ${key}`,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      }
      for (let tries = 0; ; tries++) {
        const answer = await http.send({
          method: method.toUpperCase(),
          url,
          headers,
          body: body === undefined ? undefined : JSON.stringify(body),
        })
        // The run of the samples does its steps once the server has started, and the import that a sample before this
        // one resumes has to end.
        const isEarly =
          (name === 'workflows_getRunStep' && answer.status === 404) ||
          (name === 'imports_revert' && answer.status === 409)
        // Told to come again, as a change of a schema may be while another is under way.
        const again = isEarly ? 1 : answer.headers['retry-after']
        if (again === undefined || tries === 30) return answer
        await sleep(Number(again) * 1000)
      }
    }
    const failed: string[] = []
    const answers: Recorded = {}
    const examples: Recorded = {}
    for (const sample of samples) {
      const { status, body } = await call(sample)
      if (status < 200 || status > 299) failed.push(`${sample.name}: ${status} ${JSON.stringify(body)}`)
      if (body === undefined || body === '') continue
      answers[sample.name] = { status, body }
      examples[sample.name] = { status, body: asExample(body, sample.body) }
    }
    expect(failed).toEqual([])
    if (process.env['KONTOR_RECORD'] === '1') {
      const sorted = Object.fromEntries(Object.entries(examples).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      writeFileSync(answersFile, `${JSON.stringify(sorted, null, 2)}\n`)
    }
    const shown: Recorded = JSON.parse(readFileSync(answersFile, 'utf8'))
    // Which fields the object of the samples has depends on how far the change of its schema is that another one began.
    const missing = Object.keys(shown)
      .filter((name) => !name.startsWith('schemas_'))
      .flatMap((name) => missingMembers(shown[name], answers[name]).map((path) => `${name}${path}`))
    expect(missing).toEqual([])
    expect(Object.keys(shown).toSorted()).toEqual(Object.keys(answers).toSorted())
    expect(await server.terminate()).toBe(0)
  },
)

test('the sample data is some months of work', { timeout: 120_000 }, async ({ onTestFinished }) => {
  const scratch = await emptyDatabase()
  const http = httpClient()
  onTestFinished(async () => {
    http.close()
    await scratch.remove()
  })
  const dataDir = await scratchFolder()
  const server = await startServer(scratch.url, { DATA_DIR: dataDir, KONTOR_DEMO: '1' })
  const headers = { Authorization: `api-key ${readFileSync(join(dataDir, 'demo-api-key'), 'utf8').trim()}` }
  const get = async (path: string): Promise<Json> =>
    (await http.send({ method: 'GET', url: `${server.baseUrl}/workspaces/acme${path}`, headers })).body
  const totals: Record<string, number> = {}
  const objects = ['company', 'person', 'deal', 'task', 'meeting', 'c_committee']
  for (const object of objects)
    totals[object] = (await get(`/objects/${object}/resources?page[limit]=1`)).meta.total_records
  expect(totals).toMatchObject({ company: 504, person: 540, c_committee: 230 })
  expect(Object.values(totals).reduce((sum, one) => sum + one)).toBeGreaterThan(3000)

  const all = async (object: string): Promise<Json[]> =>
    (await get(`/objects/${object}/resources?page[limit]=2000`)).data
  const deals = await all('deal')
  const tasks = await all('task')
  expect(valuesOf(deals, '_created_by').size).toBe(2)
  expect(valuesOf(deals, 'stage').size).toBe(6)
  expect(valuesOf(tasks, 'status').size).toBeGreaterThan(2)
  expect(deals.filter((deal) => days(deal) - days(deal, '_updated_at') > 1).length).toBeGreaterThan(300)
  // Something came in in each of the twenty weeks, and something stands as it was changed in most of them.
  const weeks = (field: string): Set<number> =>
    new Set([...deals, ...tasks].map((record) => Math.floor(days(record, field) / 7)))
  expect(weeks('_created_at').size).toBe(20)
  expect(weeks('_updated_at').size).toBeGreaterThan(15)
  const over = deals.filter(({ attributes }) => ['Won', 'Lost'].includes(attributes.stage))
  expect(over.filter(({ attributes }) => Date.parse(attributes.close_date) > Date.now())).toEqual([])
  const lists = await get('/lists')
  expect(lists.data.length).toBeGreaterThanOrEqual(1)
  expect(await server.terminate()).toBe(0)
})
