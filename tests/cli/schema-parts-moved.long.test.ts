import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { scratchFolder } from '../harness/scratch.ts'
import { kontor } from './kontor.ts'

const app = await startApp()
await app.startJobs()
const dir = await scratchFolder()
const hook = 'https://hooks.example.com/services/one'
const env = { KONTOR_BASE_URL: app.baseUrl, CHAT_WEBHOOK_URL: hook, RECEIVER: 'https://receiver.example/t0ken' }

/** `kontor schema` on a workspace, as its admin. */
const schemaOf =
  (workspace: string, token: string) =>
  (verb: string, ...args: string[]) =>
    kontor(['schema', verb, '--dir', dir, ...args], { ...env, KONTOR_WORKSPACE: workspace, KONTOR_ACCESS_TOKEN: token })

const acme = schemaOf('acme', app.credentials.cast.tokens.admin)
const other = schemaOf('other', app.credentials.cast.tokens.stranger)
const file = (...path: string[]): string => join(dir, ...path)

async function make(method: 'post' | 'patch', path: string, body: unknown): Promise<Json> {
  const answer = await app.api[method](`/workspaces/acme/${path}`, { body })
  expect([path, answer.status, answer.body]).toEqual([path, method === 'post' ? 201 : 200, expect.anything()])
  return answer.body
}

test('lists, workflows, webhooks, settings and layouts move to another workspace as files', async () => {
  const list = await make('post', 'objects/person/lists', {
    title: 'Key people',
    type: 'dynamic',
    permission: 'workspace',
    query: { sql: "SELECT * FROM person WHERE job_title = 'Senator'" },
  })
  await make('post', 'objects/person/lists', { title: 'Mine', type: 'static', permission: 'private' })
  const trigger = { plugin_id: 'on:svc:add-to-list', input: { list_id: list.data.id }, next: 'note' }
  const blocks = {
    note: { plugin_id: 'svc:create:record', input: { object: 'task', attributes: { title: 'Call' } }, prev: 'trigger' },
  }
  await make('post', 'workflows', { name: 'Call them', enabled: true, trigger, blocks })
  await make('post', 'webhooks', { url: env.RECEIVER, events: ['record.*'], description: 'Warehouse' })
  await make('post', 'settings', { key: 'time_zone', value: 'Europe/Berlin' })
  await make('post', 'settings', { key: 'chat_webhook_url', value: hook })
  await make('patch', 'layouts/sidebar', { tree: { type: 'sidebar', children: [] } })

  expect(await acme('pull')).toMatchObject({ code: 0 })
  expect(await readFile(file('settings.yaml'), 'utf8')).toBe(
    'time_zone: Europe/Berlin\nchat_webhook_url: ${env:CHAT_WEBHOOK_URL}\n',
  )
  expect(await readFile(file('workflows', 'call-them.yaml'), 'utf8')).toContain('list_id: ${list:person/Key people}')
  const webhook = await readFile(file('webhooks', 'warehouse.yaml'), 'utf8')
  await writeFile(file('webhooks', 'warehouse.yaml'), webhook.replace(env.RECEIVER, '${env:RECEIVER}'))
  expect(await acme('plan')).toMatchObject({ code: 0, stdout: 'Nothing differs.\n' })

  const applied = await other('apply', '--show-secrets')
  expect(applied).toMatchObject({ code: 0, stderr: expect.stringMatching(/not shown again: whsec_\S{40,}/) })
  expect(await other('plan')).toMatchObject({ code: 0, stdout: 'Nothing differs.\n' })
})
