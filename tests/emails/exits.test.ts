import { simpleParser } from 'mailparser'
import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { lettersOf, scansMs, urlsIn } from '../harness/letters.ts'
import { mailServer } from '../harness/mail.ts'
import { chain } from '../harness/workflows.ts'

const smtp = await mailServer()
const app = await startApp({ mail: { smtpUrl: smtp.url, from: 'Acme <hello@acme.example>' } })
const { api } = app
const { person, sequence, begin, workflows } = lettersOf(app)
const origin = new URL(app.baseUrl).origin

const message = [
  {
    type: 'paragraph',
    content: [{ type: 'link', href: 'https://offer.example', content: [{ type: 'text', text: 'x' }] }],
  },
]
const tracked = { subject: 'Offer', message, track_opens: true, track_clicks: true }
const pause = { key: 'pause', plugin_id: 'general:delay:for', input: { amount: 2, unit: 'days' } }

/** Follows the links of the next letter: those that count. */
async function linksOfNext() {
  const { raw } = await smtp.next()
  const urls = urlsIn((await simpleParser(raw)).html || '')
  const visit = async (part: string) => {
    await app.advance(scansMs)
    const url = urls.find((one) => one.includes(part))!.replace(/^https?:\/\/[^/]+/, origin)
    return app.http.send({ method: 'GET', url })
  }
  return { click: () => visit('/click/'), open: () => visit('/open/') }
}

test('a link that is followed ends the run that wrote the letter, and no other of the person', async () => {
  const exits = { left: { plugin_id: 'on:email:click' } }
  const [first, second] = [await sequence(tracked, { exits }, pause), await sequence(tracked, { exits }, pause)]
  const ada = await person('ada@example.com')
  const one = await begin(first, ada)
  await workflows.runIn(one, 'waiting')
  const { click } = await linksOfNext()
  const other = await begin(second, ada)
  await workflows.runIn(other, 'waiting')
  await smtp.next()
  await click()
  expect((await workflows.runIn(one)).attributes).toMatchObject({
    status: 'success',
    exit_reason: 'on:email:click',
    exit_block_id: 'left',
  })
  expect((await workflows.run(other)).attributes.status).toBe('waiting')
})

test('an exit of the letters of another workflow is taken by those', async () => {
  const writes = await sequence(tracked)
  const waits = await workflows.create({
    name: 'Wait',
    enabled: true,
    ...chain({ plugin_id: 'on:manual:execution', input: { object: 'person' } }, pause),
    exits: { opened: { plugin_id: 'on:email:open', input: { workflow_id: writes.id } } },
  })
  const bob = await person('bob@example.com')
  const waiting = await begin(waits, bob)
  await workflows.runIn(waiting, 'waiting')
  await begin(writes, bob)
  await (await linksOfNext()).open()
  expect((await workflows.runIn(waiting)).attributes).toMatchObject({ exit_reason: 'on:email:open' })
})

test('a run waits for an answer to its letter, and says what happened', async () => {
  const wait = {
    key: 'wait',
    plugin_id: 'general:wait:event',
    input: { plugin_id: 'on:email:click', timeout: { amount: 1, unit: 'days' } },
  }
  const { id } = await workflows.create({
    name: 'Ask',
    enabled: true,
    ...chain(
      { plugin_id: 'on:manual:execution', input: { object: 'person' } },
      { key: 'letter', plugin_id: 'svc:send:email', input: tracked },
      wait,
    ),
  })
  const run = await begin({ id }, await person('cyd@example.com'))
  const { click } = await linksOfNext()
  await workflows.runIn(run, 'waiting')
  await click()
  const { steps } = (await workflows.runIn(run)).attributes
  expect(steps[1].output).toMatchObject({ happened: true, event: { data: { url: 'https://offer.example' } } })
})

test('a workflow begins with a letter that was opened', async () => {
  const { id } = await workflows.create({
    name: 'Opened',
    enabled: true,
    ...chain(
      { plugin_id: 'on:email:open' },
      {
        key: 'note',
        plugin_id: 'svc:update:record',
        input: {
          object: 'person',
          record_id: '{{trigger.state.event.object._id}}',
          attributes: { job_title: '{{trigger.state.event.data.email_id}}' },
        },
      },
    ),
  })
  const dan = await person('dan@example.com')
  await begin(await sequence(tracked), dan)
  await (await linksOfNext()).open()
  const [run] = await workflows.endedRuns(id)
  expect(run?.attributes).toMatchObject({ status: 'success', record_id: dan.id })
  await api.delete(`${workflows.path}/${id}`)
})

test('a sequence may end by a letter, and may not begin with one', async () => {
  const { status, body } = await api.post(workflows.path, {
    body: { name: 'No', type: 'sequence', enabled: true, ...chain({ plugin_id: 'on:email:open' }) },
  })
  expect(status).toBe(422)
  expect(body.errors[0]).toMatchObject({ source: { pointer: '/trigger/plugin_id' } })
})
