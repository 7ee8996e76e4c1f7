import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { unknownId } from '../harness/records.ts'
import { expectReadable } from './readable.ts'

const app = await startApp()
const { api } = app
const acme = '/workspaces/acme'

const refused = async (path: string, body: Json): Promise<Json[]> => {
  const answer = await api.post(`${acme}${path}`, { body })
  expect(answer.status).toBe(422)
  expectReadable(answer.body.errors)
  return answer.body.errors
}
const detailsOf = (errors: readonly Json[]): string => errors.map(({ detail }) => detail).join(' ')

test('each input of a trigger or a block that does not fit is told in our words', async () => {
  const plugins: Json[] = (await api.get(`${acme}/workflow-plugins`, { query: { 'page[limit]': 100 } })).body.data
  const manual = { plugin_id: 'on:manual:execution', next: 'one' }
  let refusals = 0
  for (const { id, attributes } of plugins)
    for (const input of wrongInputs(attributes.input)) {
      const node = { plugin_id: id, input }
      const graph = attributes.kinds.includes('trigger')
        ? { trigger: node }
        : { trigger: manual, blocks: { one: { prev: 'trigger', ...node } } }
      const body = { name: 'Wrong', enabled: true, ...graph }
      const answer = await api.post(`${acme}/workflows`, { body })
      if (answer.status === 201) continue
      refusals++
      expectReadable(answer.body.errors)
    }
  expect(refusals).toBeGreaterThan(100)
})

/** Nothing, a member that there is not, and each member with values of other kinds. */
const wrongInputs = (schema: Json): Json[] => [
  {},
  { bogus: 1 },
  ...Object.keys(schema?.['properties'] ?? {}).flatMap((name) =>
    [null, [[]], 'no such thing', {}].map((value) => ({ [name]: value })),
  ),
]

test('an unknown trigger, block or scope is answered with those that there are', async () => {
  const trigger = { plugin_id: 'on:deal:won' }
  expect(detailsOf(await refused('/workflows', { name: 'A', enabled: true, trigger }))).toContain(
    'on:svc:update:record',
  )
  const agent = { name: 'A', scopes: ['everything'], code: 'export async function handler() {}' }
  expect(detailsOf(await refused('/agents', agent))).toMatch(/Must be one of the scopes records:read, /)
  const key = { data: { type: 'api-key', attributes: { name: 'A', scopes: ['records:reed'] } } }
  expect(detailsOf(await refused('/api-keys', key))).toMatch(/Did you mean "records:read"\?$/)
})

const hook = (events: string[]) => refused('/webhooks', { url: 'https://receiver.example', events })

const cronFault = async (cron: string): Promise<string> => {
  const trigger = { plugin_id: 'on:general:time:heartbeat', input: { cron } }
  return detailsOf(await refused('/workflows', { name: 'Rarely', enabled: true, trigger }))
}

const parts = /Must have five parts: minute, hour, .* for example 0 9 \* \* MON-FRI\.$/

test('a schedule that cannot be read is refused with the part at fault, and with what it consists of', async () => {
  for (const cron of ['* * * * * *', '61 2 * * *', 'nine of the clock, please'])
    expect(await cronFault(cron)).toMatch(parts)
  // Once each, and in our words, whatever the parser says of it.
  for (const cron of ['', '0 9 * *', '@daily', 'H 9 * * *', '*/0 * * * *', '5-1 * * * *'])
    expect(await cronFault(cron)).toMatch(new RegExp(`^${parts.source}`))
  expect(await cronFault('61 2 * * *')).toMatch(/^Invalid value for minute: 61\./)
  expect(await cronFault('0 0 31 2 *')).toBe('Must be a date that exists: no year has this date.')
})

const filterFault = async (query: Record<string, string>): Promise<string> => {
  const { status, body } = await api.get(`${acme}/objects/deal/resources`, { query })
  expect(status).toBe(400)
  return detailsOf(body.errors)
}

test('a filter that cannot be read is refused with what it is compared with, or how it is written', async () => {
  expect(await filterFault({ 'filter[amount]': 'abc' })).toBe('"abc" cannot be compared with "amount". Use a number.')
  expect(await filterFault({ 'filter[stage]': 'won' })).toBe('"won" is not an option of "stage". Did you mean "Won"?')
  expect(await filterFault({ 'filter[close_date][Is after]': 'soon' })).toMatch(
    / Use a date or a time, such as 2026-01-31 /,
  )
  expect(await filterFault({ 'filter[close_date][Within]': 'nextweek' })).toMatch(
    / Periods are yesterday, today, .*next_week/,
  )
  expect(await filterFault({ filter: 'amount>5' })).toBe('There is no parameter "filter". Did you mean "filter[…]"?')
  expect(await filterFault({ fields: 'name' })).toBe('There is no parameter "fields". Did you mean "fields[…]"?')
})

test('the schema of an object that does not exist is refused with the nearest name', async () => {
  const { status, body } = await api.get(`${acme}/schemas/objects/persn`)
  expect([status, detailsOf(body.errors)]).toEqual([
    404,
    'There is no object "persn" in this workspace. Did you mean "person"?',
  ])
})

test('a strategy in another place than that of its field is refused with the place', async () => {
  const body = { data: { type: 'person', attributes: {} } }
  const { data } = (await api.post(`${acme}/objects/person/records`, { body })).body
  const withMeta = async (meta: Json) => {
    const change = { data: { type: 'person', id: data.id, attributes: {} }, meta }
    return detailsOf((await api.patch(`${acme}/objects/person/records/${data.id}`, { body: change })).body.errors)
  }
  expect(await withMeta({ labels: { array: 'append' } })).toBe(
    '"labels" has its strategy in "collection": {"labels": {"collection": …}}.',
  )
  expect(await withMeta({ job_title: { collection: 'append' } })).toBe('A value of "job_title" can only be replaced.')
})

test('events of an object are told as what they are: events of records', async () => {
  expect(detailsOf(await hook(['deal.updated']))).toMatch(
    /send "record.updated" with the filter \{"object": "deal"\}\.$/,
  )
  expect(detailsOf(await hook(['record.udpated']))).toMatch(/Did you mean "record.updated"\?$/)
})

test('attributes beside `attributes`, or beside `data`, are sent to their place', async () => {
  const misplaced = await refused('/objects/deal/records', { data: { type: 'deal', name: 'Bare' } })
  expect(detailsOf(misplaced)).toContain('Unknown member "name". Send it in `attributes`.')
  const key = { data: { type: 'api-key', attributes: { name: 'Renamed', scopes: [] } } }
  const { id } = (await api.post(`${acme}/api-keys`, { body: key })).body.data
  const bare = await api.patch(`${acme}/api-keys/${id}`, { body: { name: 'Bare' } })
  expect(bare.body.errors.map(({ detail }: Json) => detail)).toEqual([
    'Is missing; must be an object. Send the body as {"data": …}.',
    'Unknown member "name". Allowed: data.',
  ])
})

test('records that a link names and that do not exist are named', async () => {
  const deals = [unknownId, unknownId.replace('7', '8')].map((id) => ({ type: 'deal', id }))
  const { data } = (await api.post(`${acme}/objects/person/records`, { body: person })).body
  const links = `${acme}/objects/person/records/${data.id}/relationships/deals`
  const answer = await api.post(links, { body: { data: deals } })
  expect([answer.status, answer.body.errors[0].detail]).toEqual([
    404,
    `There are no deal records with the ids "${deals[0]?.id}", "${deals[1]?.id}".`,
  ])
})
const person = { data: { type: 'person', attributes: {} } }

test('a body without `data` is told to have it', async () => {
  const errors = await refused('/objects/deal/records', { name: 'Bare' })
  expect(errors.find(({ source }) => source.pointer === '/data')?.['detail']).toBe(
    'Is missing; must be an object. Send the body as {"data": …}.',
  )
})
