import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { recordsOf } from '../harness/records.ts'
import { failed, kontor, scratchFile } from './kontor.ts'

const app = await startApp()
const records = recordsOf(app)
const env = { KONTOR_BASE_URL: app.baseUrl, KONTOR_API_KEY: app.credentials.keys.memberKey!, KONTOR_WORKSPACE: 'acme' }
const call = (...args: string[]) => kontor(['call', ...args], env)

/** Returns the body that gives a company a name. */
const data = (name: string) => JSON.stringify({ data: { type: 'company', attributes: { name } } })

test('calls an operation with parameters and a body from the line, a file or stdin', async () => {
  const body = '{"title":"Speakers","type":"static"}'
  const created = await call('lists.create', 'object=company', '--data', body)
  expect(created).toMatchObject({ code: 0, stderr: '', json: { data: { attributes: { title: 'Speakers' } } } })
  const list = `list=${created.json.data.id}`
  const { id } = await records.create('company', { name: 'Looms' })
  const members = await scratchFile(JSON.stringify({ data: [{ type: 'company', id }] }), 'members.json')
  expect((await call('lists.addRecords', 'object=company', list, '--data', `@${members}`)).code).toBe(0)
  const found = await call('lists.listRecords', 'object=company', list, 'filter[name]=Looms', 'page[limit]=1')
  expect(found.json).toMatchObject({ data: [{ id }], meta: { total_records: 1, limit: 1 } })
  const columns = '{"fields":{"company":["name"]}}'
  const csv = await kontor(['call', 'lists.exportRows', 'object=company', list, '--data', '-'], env, columns)
  expect(csv).toMatchObject({ code: 0, stdout: expect.stringMatching(/Looms/), json: undefined })
})

test('changes only the version that --if-match names, and once for each idempotency key', async () => {
  const create = () => call('records.create', 'object=company', '--data', data('Mills'), '--idempotency-key', 'mills-1')
  const { id } = (await create()).json.data
  expect((await create()).json.data.id).toBe(id)
  const one = ['object=company', `id=${id}`]
  const { stdout } = await call('records.get', ...one, '--include')
  expect(stdout).toMatch(/^200\n(.+: .+\n)+\n\{\n {2}"data"/)
  const etag = /^etag: (.*)$/m.exec(stdout)![1]!
  const update = (name: string) => call('records.update', ...one, '--data', data(name), '--if-match', etag)
  expect((await update('Mills Ltd')).json).toMatchObject({ data: { attributes: { name: 'Mills Ltd' } } })
  expect(await update('Mills Inc')).toMatchObject(failed(1, /version/i))
})

test('names a missing part of the path and the allowed values of the API', async () => {
  expect(await call('lists.listOfObject')).toMatchObject(failed(2, /needs object=…/))
  expect(await call('lists.listOfObject', 'person')).toMatchObject(
    failed(2, /"person" is no parameter; write name=value/),
  )
  expect(await call('lists.create', 'object=person', '--data', '{')).toMatchObject(failed(2, /--data takes JSON/))
  expect(await call('limits.get', 'depth=1')).toMatchObject(failed(1, /depth/))
})

test('names the place in the graph of a workflow that cannot be enabled', async () => {
  const wait = { plugin_id: 'general:delay:for', input: { amount: 5, unit: 'seconds' }, prev: 'trigger', next: null }
  const draft = { name: 'Wait', trigger: { plugin_id: 'on:manual:execution', next: 'wait' }, blocks: { wait } }
  const { json } = await call('workflows.create', '--data', JSON.stringify(draft))
  const enabled = await call('workflows.update', `id=${json.data.id}`, '--data', '{"enabled":true}')
  expect(enabled).toMatchObject(failed(1, /Must be one of "minutes", .* \(\/blocks\/wait\/input\/unit\)/))
})
