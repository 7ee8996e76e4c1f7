import { contract, type Endpoint, type EventResource } from '@kontor/contract'
import { expect, test } from 'vitest'
import { isTouched } from './touches.ts'

const idOf = (number: number): string => `019b2f6e-7a00-7000-8000-${String(number).padStart(12, '0')}`
const [deal, other, company, list] = [1, 2, 3, 4].map(idOf)

const eventOf = (type: string, attributes: object): EventResource =>
  ({ type: 'event', id: idOf(9), attributes: { type, data: {}, ...attributes } }) as unknown as EventResource
const updated = eventOf('record.updated', {
  object: 'deal',
  record_id: deal,
  data: { diff: [{ op: 'update', path: ['company_id'], val: company, oldVal: null }] },
})
const commented = eventOf('comment.created', { object: 'deal', record_id: deal, data: { comment_id: idOf(5) } })
const entered = eventOf('list.entry_added', { object: 'deal', record_id: deal, data: { list_id: list, diff: [] } })
const reshaped = eventOf('schema.updated', { object: 'schema', record_id: idOf(6), data: { entity: 'deal', diff: [] } })

const deals = { workspace: 'acme', object: 'deal' }
const people = { workspace: 'acme', object: 'person' }

test.each<[says: string, event: EventResource, touched: boolean, path: string, input: object, data?: unknown]>([
  ['a record', updated, true, 'records.get', { ...deals, id: deal }],
  ['another record', updated, false, 'records.get', { ...deals, id: other }],
  [
    'a record that the event speaks of',
    updated,
    true,
    'relationships.list',
    { ...deals, object: 'company', id: company },
  ],
  ['another workspace', updated, false, 'records.get', { ...deals, workspace: 'globex', id: deal }],
  ['a list of the object', updated, true, 'resources.list', deals],
  ['a list of another object', updated, false, 'resources.list', people],
  ['one that has the record', updated, true, 'resources.list', people, { included: [{ type: 'deal', id: deal }] }],
  ['one along references', updated, true, 'resources.list', { ...people, filter: { 'deals.name': 'x' } }],
  ['a search', updated, true, 'search.query', { workspace: 'acme', body: { query: 'x' } }],
  ['members', updated, false, 'users.list', { workspace: 'acme' }],
  ['a record, by a comment', commented, false, 'records.get', { ...deals, id: deal }],
  ['what happened, by a comment', commented, true, 'activities.list', { ...deals, record: deal }],
  ['the list that it joined', entered, true, 'lists.listRecords', { ...deals, list }],
  ['another list', entered, false, 'lists.listRecords', { ...deals, list: other }],
  ['a record of another shape', reshaped, true, 'records.get', { ...deals, id: other }],
  ['a record of the old shape', reshaped, false, 'records.get', { ...people, id: other }],
])('%s', (_says, event, touched, path, input, data) => {
  const key = [path.split('.'), { input, type: 'query' }]
  expect(isTouched(key, data, event, 'acme')).toBe(touched)
  expect(isTouched([['prefix'], ...key], data, event, 'acme')).toBe(touched)
  expect(isTouched(['of my own', 1], data, event, 'acme')).toBe(false)
})

/** Each domain that makes events, with what it makes, and a query that shows one of its things. */
const emitted = Object.entries<Readonly<Record<string, Endpoint>>>(contract).flatMap(([domain, endpoints]) => {
  const name = ['get', 'list'].find((key) => key in endpoints)
  const path = name === undefined ? undefined : endpoints[name]?.path
  const types = new Set(Object.values(endpoints).flatMap(({ emits = [] }) => emits))
  return path === undefined ? [] : [...types].map((type) => [`${domain}.${name}`, type, path] as const)
})

test.each(emitted)('%s is asked again after %s, which its domain makes', (query, type, path) => {
  const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const valueOf = (name: string) => (name === 'workspace' ? 'acme' : name === 'object' ? 'deal' : deal)
  const input = Object.fromEntries(named.map((name) => [name, valueOf(name)]))
  const event = eventOf(type, { object: type.startsWith('schema.') ? 'schema' : 'deal', record_id: deal })
  expect(isTouched([query.split('.'), { input, type: 'query' }], { data: [{ id: deal }] }, event, 'acme')).toBe(true)
})

test.each(['campaigns.get', 'agents.get', 'workflows.get'])(
  '%s is asked again though its answer shows no id',
  (query) => {
    const event = eventOf('workflow.updated', { object: 'workflow', record_id: deal })
    const key = (id: unknown) => [query.split('.'), { input: { workspace: 'acme', id }, type: 'query' }]
    expect([deal, other].map((id) => isTouched(key(id), undefined, event, 'acme'))).toEqual([true, false])
  },
)
