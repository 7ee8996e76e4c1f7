import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { kontor } from '../cli/kontor.ts'
import { emptyDatabase } from '../harness/database.ts'
import { httpClient, type Answer, type Json } from '../harness/http.ts'
import { scratchFolder } from '../harness/scratch.ts'
import { startServer } from '../harness/server-process.ts'

const methods = ['get', 'patch', 'post', 'put', 'delete'] as const

type Sample = {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly url: string
  readonly body: Json
  readonly needsUser: boolean
}

/** What is asked first: what reads, what changes, what makes; what takes away comes last, the innermost first. */
function orderOf({ method, path, name }: Sample): [number, number] {
  const reads =
    method === 'get' ||
    name === 'search_query' ||
    name.endsWith('_query') ||
    name.endsWith('_plan') ||
    name.endsWith('_exportRows')
  const takesOthersAlong = /^(records|lists|schemas|users)_remove(Many)?$/.test(name) ? 1000 : 0
  return [
    reads ? 0 : 1 + methods.indexOf(method as (typeof methods)[number]),
    method === 'delete' ? takesOthersAlong - path.length : 0,
  ]
}

/** Every operation of a document with nothing but what stands in it: the examples of its path and of its body. */
function samplesOf(document: Json): Sample[] {
  const resolved = (one: Json): Json =>
    one.$ref === undefined ? one : document.components.parameters[(one.$ref as string).split('/').at(-1)!]
  const samples = Object.entries<Json>(document.paths).flatMap(([path, operations]) =>
    Object.entries<Json>(operations).map(([method, operation]): Sample => {
      const parameters: Json[] = (operation.parameters ?? []).map(resolved)
      const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
        const { example } = parameters.find((one) => one.in === 'path' && one.name === name)
        if (example === undefined) throw new Error(`${operation.operationId} has no example of ${name}`)
        return encodeURIComponent(example)
      })
      const required = parameters.filter((one) => one.in === 'query' && one.required)
      expect(required, `${operation.operationId} has query parameters that are required`).toEqual([])
      const body = operation.requestBody?.content['application/json'].example
      if (operation.requestBody?.required)
        expect(body, `${operation.operationId} has no example of its body`).toBeDefined()
      const takesKey = (operation.security ?? []).some((scheme: Json) =>
        Object.keys(scheme).some((name) => name.startsWith('apiKey')),
      )
      return {
        name: operation.operationId,
        method,
        path,
        url: `${document.servers[0].url}${filled}`,
        body,
        needsUser: !takesKey,
      }
    }),
  )
  return samples.toSorted((a, b) => orderOf(a)[0] - orderOf(b)[0] || orderOf(a)[1] - orderOf(b)[1])
}

/** How old a record, or its last change, is. */
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

    const call = async ({ method, url, body, needsUser }: Sample): Promise<Answer> => {
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
        // Told to come again, as a change of a schema may be while another is under way.
        if (answer.headers['retry-after'] === undefined || tries === 30) return answer
        await sleep(Number(answer.headers['retry-after']) * 1000)
      }
    }
    const failed: string[] = []
    for (const sample of samples) {
      const { status, body } = await call(sample)
      if (status < 200 || status > 299) failed.push(`${sample.name}: ${status} ${JSON.stringify(body)}`)
    }
    expect(failed).toEqual([])
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
