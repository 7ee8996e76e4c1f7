import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { recordsOf, unknownId } from '../harness/records.ts'
import { failed, kontor, scratchFile } from './kontor.ts'

const app = await startApp()
const records = recordsOf(app)
const env = { KONTOR_BASE_URL: app.baseUrl, KONTOR_API_KEY: app.credentials.keys.memberKey!, KONTOR_WORKSPACE: 'acme' }
const run = (...args: string[]) => kontor(['records', ...args], env)

test('a record is created, shown, changed and deleted', { timeout: 90_000 }, async () => {
  const created = await run(
    'create',
    'person',
    '--set',
    'name.first_name=Grace',
    '--set',
    'name.last_name=Hopper',
    '--set',
    'email_addresses=grace@example.com,g@example.com',
  )
  expect(created).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/^created [0-9a-f-]{36}\n$/) })
  const id = created.stdout.trim().split(' ')[1]!
  expect((await records.get('person', id)).body.data.attributes).toMatchObject({
    name: { first_name: 'Grace', last_name: 'Hopper' },
    email_addresses: { items: ['grace@example.com', 'g@example.com'] },
  })

  expect((await run('get', 'person', id)).stdout).toMatch(new RegExp(`^id +${id}\\n(.*\\n)*name +Grace Hopper\\n`))
  expect((await run('get', 'person', id, '--json')).json.data).toMatchObject({ type: 'person', id })

  expect(
    await run('update', 'person', id, '--set', 'job_title=Professor', '--clear', 'email_addresses', '--dry-run'),
  ).toMatchObject({ code: 0, stdout: `Nothing was written; this would be: updated ${id}\n` })
  expect(
    (await run('update', 'person', id, '--set', 'job_title=Professor', '--clear', 'email_addresses', '--json')).json,
  ).toMatchObject({ data: { id, attributes: { job_title: 'Professor', email_addresses: { items: [] } } } })
  expect(await run('update', 'person', id, '--set', 'job_title=Admiral', '--if-match', '"1"')).toMatchObject(
    failed(1, /version/i),
  )

  expect(await run('delete', 'person', id)).toMatchObject({ code: 0, stdout: '1 record deleted.\n', stderr: '' })
  expect((await records.get('person', id)).status).toBe(404)
})

test(
  'attributes come as JSON, from a file or from stdin, and merge into what is there',
  { timeout: 60_000 },
  async () => {
    const attributes = '{"name":"Analytical Engines","domains":{"items":["engines.example.com"]}}'
    const { json } = await run(
      'create',
      'company',
      '--data',
      `@${await scratchFile(attributes, 'company.json')}`,
      '--json',
    )
    expect(json.data.attributes.name).toBe('Analytical Engines')
    const again = await kontor(
      ['records', 'create', 'company', '--data', '-', '--set', 'industry=Machines', '--match-on', 'domains'],
      env,
      attributes,
    )
    expect(again).toMatchObject({ code: 0, stdout: `updated ${json.data.id}\n` })
  },
)

test('what is wrong is told in words', { timeout: 60_000 }, async () => {
  expect(await run('create', 'person')).toMatchObject(failed(2, /Give the values to write/))
  expect(await run('create', 'person', '--set', 'job_titel=x')).toMatchObject(
    failed(2, /no field "job_titel"\. Did you mean "job_title"/),
  )
  expect(await run('create', 'deal', '--set', 'amount=much')).toMatchObject(failed(2, /amount: "much" is not a number/))
  expect(await run('create', 'deal', '--set', 'name=a', '--set', 'name=b')).toMatchObject(
    failed(2, /"name" is set twice/),
  )
  expect(await run('create', 'deal', '--data', '[]')).toMatchObject(failed(2, /takes one JSON object/))
  expect(await run('create', 'nothing', '--data', '{}')).toMatchObject(failed(1, /nothing/))
  expect(await run('get', 'person', unknownId)).toMatchObject(failed(1, /There is no person with this id/))
  expect(await run('update', 'person', unknownId, '--set', 'job_title=x')).toMatchObject(
    failed(1, /There is no person with this id/),
  )
  expect(await run('delete', 'person', unknownId)).toMatchObject(failed(1, /There is no person/))
})
