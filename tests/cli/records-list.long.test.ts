import type { RecordResource } from '@kontor/contract'
import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { failed, kontor } from './kontor.ts'

const { api, baseUrl, credentials } = await startApp()
const env = { KONTOR_BASE_URL: baseUrl, KONTOR_API_KEY: credentials.keys.memberKey!, KONTOR_WORKSPACE: 'acme' }
const list = (...args: string[]) => kontor(['records', 'list', 'deal', ...args], env)

await api.post('/workspaces/acme/objects/deal/records/bulk', {
  body: {
    data: Array.from({ length: 600 }, (_, i) => ({
      type: 'deal',
      attributes: {
        name: `Deal ${String(i).padStart(3, '0')}`,
        amount: i * 10,
        stage: i % 2 === 0 ? 'Won' : 'Lost',
        labels: { items: [`l${i % 3}`] },
      },
    })),
  },
})

const names = (json: { data: RecordResource[] }): unknown[] => json.data.map(({ attributes }) => attributes['name'])

test('--json prints what the API answers', async () => {
  const { code, json, stderr } = await list('--sort', 'name', '--limit', '3', '--json')
  expect({ code, stderr, names: names(json) }).toEqual({
    code: 0,
    stderr: '',
    names: ['Deal 000', 'Deal 001', 'Deal 002'],
  })
  expect(json).toMatchObject({
    meta: { total_records: 600 },
    links: { next: expect.stringContaining('page'), prev: null },
  })
  const { body } = await api.get('/workspaces/acme/objects/deal/resources', {
    query: { 'sortOrder[column]': 'name', 'sortOrder[dir]': 'ASC', 'page[limit]': 3 },
  })
  expect(json.data).toEqual(body.data)
})

test('filters and orders', async () => {
  const { json } = await list(
    '--filter',
    'amount[Greater than]=5000',
    '--filter',
    'amount[lt]=5050',
    '--filter',
    'stage=Won',
    '--sort',
    'amount:desc',
    '--json',
  )
  expect(names(json)).toEqual(['Deal 504', 'Deal 502'])
  expect(
    (await list('--filter', 'stage[One of]=Won,Lost', '--filter', 'labels=l1', '--json')).json.meta.total_records,
  ).toBe(200)
  expect((await list('--filter', 'close_date[Is not empty]', '--json')).json).toMatchObject({
    data: [],
    meta: { total_records: 0 },
  })
  // A select is sorted by the order of its options, of which Lost is the last.
  expect(names((await list('--sort', 'stage:desc,name:desc', '--limit', '1', '--json')).json)).toEqual(['Deal 599'])
})

test('searches', async () => {
  expect(names((await list('--search', 'deal 59', '--sort', 'name', '--limit', '2', '--json')).json)).toEqual([
    'Deal 590',
    'Deal 591',
  ])
})

test('--all and a limit over a page follow the links', async () => {
  const { json } = await list('--sort', 'name', '--all', '--json')
  expect(new Set(names(json)).size).toBe(600)
  expect(json).toMatchObject({ meta: { total_records: 600 }, links: { next: null, prev: null } })
  expect((await list('--limit', '550', '--json')).json.data).toHaveLength(550)
  const lines = (await list('--sort', 'name', '--all', '--ndjson')).stdout.trimEnd().split('\n')
  expect(lines.map((line) => (JSON.parse(line) as RecordResource).attributes['name'])).toEqual(names(json))
})

test('a table for people, with the columns that hold something or those that are asked for', async () => {
  const { code, stdout, stderr } = await list('--sort', 'name', '--limit', '2')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '2 of 600; --limit or --all shows more.\n' })
  expect(stdout.split('\n')[0]?.split(/ {2,}/)).toEqual(['id', 'name', 'stage', 'amount', 'labels'])
  expect((await list('--sort', 'name', '--limit', '2', '--columns', 'name,amount')).stdout).toBe(
    'name      amount\nDeal 000  0\nDeal 001  10\n',
  )
  expect(await list('--filter', 'name=nothing')).toMatchObject({ code: 0, stderr: '0 in all.\n' })
})

test('a record may not steer the terminal', async () => {
  await api.post('/workspaces/acme/objects/task/records', {
    body: { data: { type: 'task', attributes: { title: 'red \u001B[31malert\u0007\nnext' } } },
  })
  const { stdout } = await kontor(['records', 'list', 'task', '--columns', 'title'], env)
  expect(stdout).toBe('title\nred  [31malert next\n')
})

test.each<[args: string[], code: number, message: RegExp]>([
  [['--filter', 'name'], 2, /"name" is no condition/],
  [['--filter', 'name=a', '--filter', 'name=b'], 2, /two conditions on "name"/],
  [['--sort', 'name:up'], 2, /"name:up" is no order/],
  [['--limit', '0'], 2, /whole number, 1 or greater/],
  [['--json', '--ndjson'], 2, /not both/],
  [['--filter', 'nme=a'], 1, /"nme" is no field.*Did you mean "name"\?[\s\S]*allowed: name, /],
  [['--filter', 'name[Contans]=a'], 1, /no operator "Contans"\. Did you mean "Contains"/],
  [['--sort', 'tasks'], 1, /deal records cannot be sorted by "tasks"/],
])('a mistake is told: %j', async (args, code, message) => {
  expect(await list(...args)).toMatchObject(failed(code, message))
})

test('who may not read, and what is not there', async () => {
  expect(await kontor(['records', 'list', 'deal'], { ...env, KONTOR_API_KEY: 'pk_nonsense' })).toMatchObject(
    failed(1, /Check --api-key/),
  )
  expect(await kontor(['records', 'list', 'deal', '--workspace', 'other'], env)).toMatchObject(
    failed(1, /no such workspace/),
  )
  expect(await kontor(['records', 'list', 'del'], env)).toMatchObject(failed(1, /no object "del"/))
  expect(await kontor(['records', 'list', 'deal', '--base-url', baseUrl.replace('/v1', '/v2')], env)).toMatchObject(
    failed(1, /Request: GET/),
  )
})
