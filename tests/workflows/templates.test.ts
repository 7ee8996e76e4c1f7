import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { receiver, status } from '../harness/receiver.ts'
import { chain, workflowsOf } from '../harness/workflows.ts'

const app = await startApp()
const hooks = await receiver()
const { create, path, runIn } = workflowsOf(app)

const byHand = { plugin_id: 'on:manual:execution' }
const data = 'trigger.state.event.data'

/** Runs a workflow by hand with some data, through a request to the receiver, until it ends. */
async function sending(input: Json, given: Json, more: Json = {}): Promise<Json> {
  const send = { key: 'send', plugin_id: 'webhook:send:outbound', input: { url: hooks.url, ...input } }
  const { id } = await create({ name: 'Send', enabled: true, ...chain(byHand, send) })
  const begun = await app.api.post(`${path}/${id}/runs`, { body: { data: given, ...more } })
  expect(begun.status).toBe(201)
  return (await runIn(begun.body.data.id)).attributes
}

test('a value is escaped for the place in a request where it stands', async () => {
  const name = 'Grace "Amazing" & <Hopper>'
  await sending(
    {
      url: `${hooks.url}/{{${data}.name}}?q={{${data}.name}}&none={{${data}.missing}}`,
      headers: {
        'Content-Type': 'application/json',
        'X-Name': `{{${data}.name}}, {{${data}.missing | default:"nobody"}}`,
      },
      body:
        `{"name": "{{${data}.name}}", "quoted": {{${data}.name}}, "list": {{${data}.list}}, ` +
        `"none": {{${data}.missing}}, "text": "{{${data}.list}}", "at": "{{trigger.state.event.created_at}}", ` +
        `"braces": "\\{{name}}"}`,
    },
    { name, list: [1, 'two'] },
  )
  const { path: at, body, headers } = await hooks.next()
  expect(at).toBe(`/hook/${encodeURIComponent(name)}?q=${encodeURIComponent(name)}&none=`)
  expect(headers['x-name']).toBe(`${name}, nobody`)
  expect(body).toEqual({
    name,
    quoted: name,
    list: [1, 'two'],
    none: null,
    text: '[1,"two"]',
    at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    braces: '{{name}}',
  })
})

test('in a body that is no text, a variable alone keeps its type, and one among words is text', async () => {
  const body = {
    one: ` {{${data}.list}} `,
    many: `Of "{{${data}.list}}"`,
    none: `{{${data}.missing}}`,
    braces: '\\{{name}}',
  }
  await sending({ body }, { list: ['a"b'] })
  expect((await hooks.next()).body).toEqual({ one: ['a"b'], many: 'Of "["a\\"b"]"', none: null, braces: '{{name}}' })
})

test('the end of a line in a header fails the step, in a test run too', async () => {
  const before = hooks.got.length
  const input = { headers: { 'X-Name': `{{${data}.name}}` } }
  for (const more of [{}, { dry_run: true }]) {
    const { status: ended, error } = await sending(input, { name: 'Ada\nX-Admin: yes' }, more)
    expect([ended, error.code]).toEqual(['failed', 'invalid_input'])
  }
  expect(hooks.got).toHaveLength(before)
})

test('another status than 2xx fails the step, unless any is accepted', async () => {
  hooks.answer(status(404))
  const refused = await sending({ body: {} }, {})
  expect([refused.status, refused.error.code]).toEqual(['failed', 'http_404'])
  hooks.answer(status(503))
  const accepted = await sending({ body: {}, accept: 'any' }, {})
  expect([accepted.status, accepted.steps[0].attempts]).toEqual(['success', 1])
  expect(accepted.steps[0].output).toMatchObject({ status: 503, body: 'answered 503' })
})

test.for([
  [`{{${data}.name | upper}}`],
  [`{{${data}.name | default:there}}`],
  [`{{nothing.state.output.x | default:"there"}}`],
])('a template that cannot be filled in is refused when it is enabled: %s', async ([text]) => {
  const send = { key: 'send', plugin_id: 'webhook:send:outbound', input: { url: hooks.url, body: { text } } }
  const body = { name: 'Wrong', enabled: true, ...chain(byHand, send) }
  const answer = await app.api.post(path, { body })
  expect([answer.status, answer.body.errors[0].source.pointer]).toEqual([422, '/blocks/send/input/body/text'])
})
