import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { receiver, verify } from '../harness/receiver.ts'
import { until } from '../harness/until.ts'
import { start } from './kontor.ts'

const app = await startApp()
await app.startJobs()
const env = { KONTOR_BASE_URL: app.baseUrl, KONTOR_API_KEY: app.credentials.keys.memberKey!, KONTOR_WORKSPACE: 'acme' }

const create = async (name: string): Promise<string> => {
  const data = { type: 'company', attributes: { name } }
  return (await app.api.post('/workspaces/acme/objects/company/records', { body: { data } })).body.data.id
}

test('events are forwarded to a local program, signed, until Ctrl-C', async () => {
  const there = await receiver()
  await create('Before')
  const running = start(['webhooks', 'listen', '--forward', there.url, '--events', 'record.created,list.*'], env)
  await until(() => running.stderr().includes('Forwarding '), { what: () => running.stderr() })
  const id = await create('Analytical Engines')
  const got = await there.next()
  const [, secret = ''] = /Secret: (whsec_\S+)/.exec(running.stderr())!
  expect(verify(got, secret)).toMatchObject({ type: 'record.created', object: 'company', record_id: id })
  running.child.kill('SIGINT')
  const ended = await running.ended
  expect(ended.code).toBe(130)
  expect(ended.stdout).toMatch(new RegExp(`^record.created  company ${id}  200 in \\d+ ms\\n$`))
})
