import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { mailServer } from '../harness/mail.ts'
import { isSignedWith, receiver, status } from '../harness/receiver.ts'
import { recordsOf } from '../harness/records.ts'
import { chain, workflowsOf } from '../harness/workflows.ts'

const smtp = await mailServer()
const model = createServer((_request, response) => {
  const answer = { model: 'small', choices: [{ message: { content: '{"mood":"good"}' }, finish_reason: 'stop' }] }
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
})
await new Promise<void>((resolve) => model.listen(0, '127.0.0.1', resolve))
afterAll(() => void model.close())

const app = await startApp({
  mail: { smtpUrl: smtp.url, from: 'Kontor <robot@kontor.example>' },
  ai: { baseUrl: `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`, apiKey: undefined, model: 'small' },
})
const records = recordsOf(app)
const workflows = workflowsOf(app)

type Run = { readonly steps: Json[]; readonly [key: string]: Json }

/** Runs blocks one after another for a deal; returns the run and the id of its workflow. */
async function run(
  blocks: readonly Json[],
  deal: Json,
  options: Json = {},
): Promise<Run & { readonly workflow: string }> {
  const { id } = await workflows.create({
    name: 'Once',
    enabled: true,
    ...chain({ plugin_id: 'on:manual:execution', input: { object: 'deal' } }, ...blocks),
  })
  return { ...(await runAgain(id, deal, options)), workflow: id }
}

async function runAgain(id: string, deal: Json, options: Json = {}): Promise<Run> {
  const body = { object: 'deal', record_id: deal.id, ...options }
  const { body: begun } = await app.api.post(`${workflows.path}/${id}/runs`, { body })
  return (await workflows.runIn(begun.data.id)).attributes
}

const outputs = ({ steps, error }: Run): Json[] => {
  expect(error).toBeNull()
  return steps.map(({ output }) => output)
}

const ofDeal = { object: 'deal', record_id: '{{trigger.state.event.object._id}}' }
const read = async (object: string, id: string, query: Json = {}) =>
  (await app.api.get(`/workspaces/acme/objects/${object}/records/${id}`, { query })).body

test('changes records, links and lists, and comments', async () => {
  const deal = await records.create('deal', { name: 'Harbour' })
  const list = await app.api.post('/workspaces/acme/objects/deal/lists', {
    body: { title: 'Ours', type: 'static', layout: 'table' },
  })
  const listId = list.body.data.id
  const company = {
    object: 'company',
    match_on: 'domains',
    attributes: { name: 'Acme', domains: { items: ['acme.example'] } },
  }
  const record_ids = ['{{trigger.state.event.object._id}}']
  const said = outputs(
    await run(
      [
        { key: 'company', plugin_id: 'svc:upsert:record', input: company },
        { key: 'again', plugin_id: 'svc:upsert:record', input: company },
        {
          key: 'link',
          plugin_id: 'svc:set-relationship',
          input: { ...ofDeal, relationship: 'company_id', ids: ['{{company.state.output.record.id}}'] },
        },
        { key: 'list', plugin_id: 'svc:add-to-list', input: { object: 'deal', list_id: listId, record_ids } },
        {
          key: 'say',
          plugin_id: 'svc:create:comment',
          input: { ...ofDeal, message: 'Of {{company.state.output.record.attributes.name}}.' },
        },
        {
          key: 'find',
          plugin_id: 'svc:find:records',
          input: { object: 'deal', filter: { field: 'company_id.name', op: 'Is', value: 'acme' } },
        },
      ],
      deal,
    ),
  )
  expect(said).toMatchObject([
    { created: true },
    { created: false },
    { ids: [said[0].record.id] },
    { list_id: listId, record_ids: [deal.id] },
    { comment_id: expect.any(String) },
    { records: [{ id: deal.id }], total: 1 },
  ])
  expect((await read('deal', deal.id)).data.attributes).toMatchObject({ company_id: said[0].record.id })
  const entries = await app.api.get(`/workspaces/acme/objects/deal/lists/${listId}/resources`)
  expect(entries.body.data).toMatchObject([{ id: deal.id }])
  const comment = await app.api.get(`/workspaces/acme/comments/${said[4].comment_id}`)
  expect(comment.body).toMatchObject({ message: [{ type: 'paragraph', content: [{ text: 'Of Acme.' }] }] })

  outputs(
    await run(
      [
        { key: 'unlink', plugin_id: 'svc:unset-relationship', input: { ...ofDeal, relationship: 'company_id' } },
        { key: 'unlist', plugin_id: 'svc:remove-from-list', input: { object: 'deal', list_id: listId, record_ids } },
        { key: 'remove', plugin_id: 'svc:delete:record', input: ofDeal },
      ],
      deal,
    ),
  )
  expect((await app.api.get(`/workspaces/acme/objects/deal/lists/${listId}/resources`)).body.data).toEqual([])
  expect((await read('deal', deal.id)).errors).toMatchObject([{ code: 'not_found' }])
})

test('a test run shows all of that and does none of it', async () => {
  const deal = await records.create('deal', { name: 'Quay', amount: 1 })
  const there = await receiver()
  const { steps } = await run(
    [
      { key: 'make', plugin_id: 'svc:create:record', input: { object: 'task', attributes: { title: 'Call' } } },
      {
        key: 'mark',
        plugin_id: 'svc:update:record',
        input: { object: 'task', record_id: '{{make.state.output.record.id}}', attributes: { priority: 'High' } },
      },
      { key: 'change', plugin_id: 'svc:update:record', input: { ...ofDeal, attributes: { amount: 2 } } },
      { key: 'say', plugin_id: 'svc:create:comment', input: { ...ofDeal, message: 'Hello' } },
      { key: 'wait', plugin_id: 'general:delay:for', input: { amount: 3, unit: 'days' } },
      { key: 'send', plugin_id: 'webhook:send:outbound', input: { url: there.url, body: { a: 1 } } },
      { key: 'mail', plugin_id: 'svc:send:email', input: { to: 'a@example.com', subject: 'A', text: 'B' } },
      {
        key: 'code',
        plugin_id: 'code:execute',
        input: {
          code: `export const handler = (input, { client, workflowContext }) =>
            client.records.update('deal', workflowContext.trigger.event.object._id, { amount: 3 })`,
        },
      },
      { key: 'remove', plugin_id: 'svc:delete:record', input: ofDeal },
    ],
    deal,
    { dry_run: true },
  )
  expect(steps.map(({ block_id, status: state }) => [block_id, state])).toEqual(
    ['make', 'mark', 'change', 'say', 'wait', 'send', 'mail', 'code', 'remove'].map((key) => [key, 'success']),
  )
  expect(steps.map(({ output }) => output)).toMatchObject([
    { dry_run: true, record: { attributes: { title: 'Call' } } },
    { dry_run: true, record: { attributes: { priority: 'High' } } },
    { dry_run: true, diff: [{ path: ['amount'], val: 2, oldVal: 1 }] },
    { dry_run: true, would: { operation: 'comments.create' } },
    { until: expect.any(String) },
    { dry_run: true, would: { url: there.url, body: '{"a":1}' } },
    { dry_run: true, would: { to: ['a@example.com'] } },
    { meta: { dry_run: true } },
    { dry_run: true },
  ])
  expect(steps[7].logs).toEqual([expect.stringContaining('only checks records.update')])
  expect((await read('deal', deal.id)).data.attributes).toMatchObject({ amount: 1 })
  expect([there.got, smtp.waiting]).toEqual([[], []])
})

test('posts a webhook that is signed once there is a secret, again until it is taken, under one id', async () => {
  const deal = await records.create('deal', { name: 'Pier' })
  const there = await receiver()
  const input = { url: there.url, body: { deal: '{{trigger.state.event.object._id}}' } }
  const blocks = [{ key: 'send', plugin_id: 'webhook:send:outbound', input }]
  const unsigned = await run(blocks, deal)
  expect(outputs(unsigned)).toMatchObject([{ status: 200, body: 'answered 200' }])
  expect((await there.next()).headers).not.toHaveProperty('webhook-signature')

  const rotate = async (overlap_hours: number): Promise<string> =>
    (await app.api.post(`${workflows.path}/${unsigned.workflow}/rotate-secret`, { body: { overlap_hours } })).body.data
      .attributes.secret
  const old = await rotate(0)
  there.answer(status(503))
  const [step] = (await runAgain(unsigned.workflow, deal)).steps
  expect(step).toMatchObject({ status: 'success', attempts: 2, output: { status: 200 } })
  const sent = [await there.next(), await there.next()]
  expect(new Set(sent.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  expect(new Set(sent.map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
  for (const one of sent) expect(isSignedWith(one, old)).toBe(true)
  expect(sent[0]?.body).toEqual({ deal: deal.id })

  const current = await rotate(24)
  await runAgain(unsigned.workflow, deal)
  const overlapping = await there.next()
  expect([isSignedWith(overlapping, old), isSignedWith(overlapping, current)]).toEqual([true, true])
  await rotate(0)
  await runAgain(unsigned.workflow, deal)
  const later = await there.next()
  expect([isSignedWith(later, old), isSignedWith(later, current)]).toEqual([false, false])
})

test('a webhook that is refused fails the step at once', async () => {
  const deal = await records.create('deal', { name: 'Mole' })
  const there = await receiver()
  there.always(status(404))
  const { steps, error } = await run(
    [{ key: 'send', plugin_id: 'webhook:send:outbound', input: { url: there.url, body: {} } }],
    deal,
  )
  expect(error).toMatchObject({ code: 'http_404', block_id: 'send' })
  expect(steps).toMatchObject([{ status: 'failed', attempts: 1 }])
})

test('sends e-mail that can be answered', async () => {
  const deal = await records.create('deal', { name: 'Dock' })
  const [said] = outputs(
    await run(
      [
        {
          key: 'mail',
          plugin_id: 'svc:send:email',
          input: {
            to: 'grace@example.com',
            subject: 'About {{trigger.state.event.object.data.name}}',
            text: 'Hello.',
            html: '<p>Hello.</p>',
          },
        },
      ],
      deal,
    ),
  )
  const { to, text } = await smtp.next()
  expect(to).toEqual(['grace@example.com'])
  expect(said.message_id).toMatch(/^<[0-9a-f-]+@kontor\.example>$/)
  expect(text).toContain(`Message-ID: ${said.message_id}`)
  expect(text).toContain('Subject: About Dock')
  expect(text).toContain('<p>Hello.</p>')
  expect(text).not.toContain('Auto-Submitted')
})

test('runs code as the owner, and asks the language model', async () => {
  const deal = await records.create('deal', { name: 'Wharf', amount: 5 })
  const said = outputs(
    await run(
      [
        {
          key: 'mood',
          plugin_id: 'ai:generate',
          input: { prompt: 'How?', output_schema: { type: 'object', properties: { mood: { type: 'string' } } } },
        },
        {
          key: 'code',
          plugin_id: 'code:execute',
          input: {
            input: { mood: '{{mood.state.output.json.mood}}' },
            code: `type Deal = { name: string; amount: number }
              export async function handler(input: { mood: string }, { client, workflowContext }: any) {
                const { data, _id } = workflowContext.trigger.event.object
                const deal: Deal = data
                console.log('a deal of', deal.amount, '{{not.a.variable}}')
                await client.records.update('deal', _id, { amount: deal.amount * 2 })
                const found = await client.resources.list({ type: 'deal', filter: { amount: { 'Is': 10 } } })
                return { mood: input.mood, found: found.data.map((one) => one.attributes.name) }
              }`,
          },
        },
        { key: 'say', plugin_id: 'svc:create:comment', input: { ...ofDeal, message: '{{code.state.output.found.0}}' } },
      ],
      deal,
    ),
  )
  expect(said[1]).toEqual({ mood: 'good', found: ['Wharf'] })
  expect((await read('deal', deal.id)).data.attributes).toMatchObject({ amount: 10, _updated_by: app.userIds.admin })
})

test('code that fails ends the run, with its console and where it failed', async () => {
  const deal = await records.create('deal', { name: 'Jetty' })
  const code = `export const handler = (input, { client }) => {
    console.log('before')
    return client.records.get('deal', 'nowhere')
  }`
  const { steps, error } = await run([{ key: 'code', plugin_id: 'code:execute', input: { code } }], deal)
  expect(error).toMatchObject({ code: 'not_found', block_id: 'code' })
  expect(steps).toMatchObject([{ status: 'failed', attempts: 1, logs: ['before'] }])
  const thrown = await run(
    [{ key: 'code', plugin_id: 'code:execute', input: { code: 'export const handler = () => null.amount' } }],
    deal,
  )
  expect(thrown.error).toMatchObject({ code: 'code_failed', detail: expect.stringContaining('(line 1, column') })
})

test('waits for an event of its record', async () => {
  const deal = await records.create('deal', { name: 'Slip', amount: 1 })
  const { id } = await workflows.create({
    name: 'Wait',
    enabled: true,
    ...chain(
      { plugin_id: 'on:manual:execution', input: { object: 'deal' } },
      {
        key: 'wait',
        plugin_id: 'general:wait:event',
        input: { plugin_id: 'on:svc:update:record', input: { object: 'deal', fields: ['amount'] } },
      },
    ),
  })
  const { body } = await app.api.post(`${workflows.path}/${id}/runs`, { body: { object: 'deal', record_id: deal.id } })
  await workflows.runIn(body.data.id, 'waiting')
  const other = await records.create('deal', { name: 'Other slip', amount: 1 })
  for (const one of [other, deal])
    await app.api.patch(`/workspaces/acme/objects/deal/records/${one.id}`, {
      body: { data: { type: 'deal', attributes: { amount: 2 } } },
    })
  const { attributes } = await workflows.runIn(body.data.id)
  expect(attributes.steps).toMatchObject([{ output: { happened: true } }])
  expect(JSON.stringify(attributes.steps[0].output.event)).toContain(deal.id)
})
