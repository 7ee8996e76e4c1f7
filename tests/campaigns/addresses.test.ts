import { simpleParser } from 'mailparser'
import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { mailServer } from '../harness/mail.ts'
import { recordsOf } from '../harness/records.ts'
import { workflowsOf } from '../harness/workflows.ts'

const smtp = await mailServer()
const app = await startApp({ mail: { smtpUrl: smtp.url, from: 'Acme <hello@acme.example>' } })
const { api } = app
const records = recordsOf(app)
const { until, endedRuns } = workflowsOf(app)
const path = '/workspaces/acme/campaigns'

const letter = (subject: string) => ({ plugin_id: 'svc:send:email', input: { subject, text: 'Hello.' } })
const rest = { plugin_id: 'general:delay:for', input: { amount: 1, unit: 'days' } }
const blocks = {
  first: { ...letter('First'), prev: 'trigger', next: 'rest' },
  rest: { ...rest, prev: 'first', next: 'second' },
  second: { ...letter('Second'), prev: 'rest' },
}

/** A campaign that runs. */
async function begin(given: Json = blocks) {
  const { body } = await api.post(path, { body: { name: 'Spring', blocks: given } })
  const { id } = body.data
  await api.post(`${path}/${id}/start`, {})
  const enrol = async (...people: readonly Json[]): Promise<string[]> => {
    const items = people.map((person) => person.id)
    const answer = await api.post(`${path}/${id}/recipients`, { body: { items } })
    return answer.body.data.map(({ status }: Json) => status)
  }
  const row = async (of: Json): Promise<Json> => {
    const { data } = (await api.get(`${path}/${id}/recipients`)).body
    return data.find(({ attributes }: Json) => attributes.person._id === of.id)?.attributes
  }
  const rests = async (of: Json) => until(async () => (await row(of))?.status === 'waiting')
  const takeOut = (of: Json) => api.delete(`${path}/${id}/recipients`, { body: { items: [of.id] } })
  return { id, enrol, row, rests, takeOut }
}

let serial = 0
const fresh = (name: string): string => `${name}-${++serial}@example.com`

const someone = (...items: readonly string[]): Promise<Json> => records.create('person', { email_addresses: { items } })

const setAddresses = async (of: Json, ...items: readonly string[]): Promise<void> => {
  const { status } = await records.patch('person', of.id, { email_addresses: { items } })
  expect(status).toBe(200)
}

const deliver = async (body: string): Promise<void> => {
  const inbound = (await api.get('/workspaces/acme/emails/inbound')).body.data.attributes.url
  const url = inbound.replace(/^https?:\/\/[^/]+/, app.origin)
  await app.http.send({ method: 'POST', url, headers: { 'Content-Type': 'message/rfc822' }, body })
}

/** The next letter, and what its reader, or the server of the reader, may do about it. */
async function next() {
  const { to, raw } = await smtp.next()
  const { messageId = '', headers } = await simpleParser(raw)
  const report = (type: string, part: string) =>
    deliver(
      `From: MAILER-DAEMON@mx.example\r\nTo: hello@acme.example\r\nSubject: Report\r\nMIME-Version: 1.0\r\n` +
        `Content-Type: multipart/report; report-type=${type}; boundary="b"\r\n\r\n` +
        `--b\r\n${part}\r\n\r\n` +
        `--b\r\nContent-Type: message/rfc822\r\n\r\nMessage-ID: ${messageId}\r\n\r\nHello\r\n--b--\r\n`,
    )
  const { url: unsubscribe } = (headers.get('list') as unknown as { unsubscribe: { url: string } }).unsubscribe
  return {
    to: to[0],
    comesBack: () =>
      report(
        'delivery-status',
        `Content-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx\r\n\r\n` +
          `Final-Recipient: rfc822; ${to[0]}\r\nAction: failed\r\nStatus: 5.1.1`,
      ),
    complains: () =>
      report(
        'feedback-report',
        'Content-Type: message/feedback-report\r\n\r\nFeedback-Type: abuse\r\nUser-Agent: mx\r\nVersion: 1',
      ),
    unsubscribes: () =>
      app.http.send({ method: 'POST', url: unsubscribe.replace(/^https?:\/\/[^/]+/, app.origin), body: '' }),
  }
}

/** A person to whom a campaign has written, and the letter. */
async function written(...addresses: readonly string[]) {
  const campaign = await begin()
  const person = await someone(...addresses)
  expect(await campaign.enrol(person)).toEqual(['enrolled'])
  await campaign.rests(person)
  return { campaign, person, mail: await next() }
}

test('a bounce closes an address, and the next campaign takes the next one', async () => {
  const [first, second] = [fresh('first'), fresh('second')]
  const { person, mail } = await written(first, second)
  expect(mail.to).toBe(first)
  await mail.comesBack()
  const again = await begin()
  expect(await again.enrol(person)).toEqual(['enrolled'])
  expect((await next()).to).toBe(second)
  const preview = await api.post(`${path}/${again.id}/preview`, { body: { person_id: person.id } })
  expect(preview.body.data.attributes.letters[0].to).toBe(second)
})

test('a person is written to where they were enrolled, whatever becomes of the record', async () => {
  const [old, other] = [fresh('old'), fresh('other')]
  const { campaign, person } = await written(old)
  await setAddresses(person, other)
  const { workflow_run_id: run } = await campaign.row(person)
  await api.post(`/workspaces/acme/workflow-runs/${run}/resume`)
  expect((await next()).to).toBe(old)
  const again = await begin()
  await again.enrol(person)
  expect((await next()).to).toBe(other)
})

test('an address with a tag is another one', async () => {
  const plain = fresh('tagged')
  const tagged = plain.replace('@', '+news@')
  const { person, mail } = await written(plain, tagged)
  await mail.comesBack()
  const again = await begin()
  await again.enrol(person)
  expect((await next()).to).toBe(tagged)
})

test.each(['unsubscribes', 'complains'] as const)('who %s is written to at no new address either', async (how) => {
  const { person, mail } = await written(fresh('left'), fresh('left'))
  await mail[how]()
  const renewed = fresh('new')
  await setAddresses(person, renewed)
  const again = await begin()
  expect(await again.enrol(person)).toEqual(['suppressed'])
  const { body } = await api.get(`/workspaces/acme/suppressions?filter[person]=${person.id}`)
  expect(body.data).toMatchObject([{ attributes: { address: mail.to, person_id: person.id, reason: 'unsubscribed' } }])
  // A plain workflow that names the address finds out too.
  const workflow = { trigger: { plugin_id: 'on:manual:execution', next: 'letter' } }
  const one = { plugin_id: 'svc:send:email', input: { to: renewed, subject: 'A', text: 'B' }, prev: 'trigger' }
  const made = await api.post('/workspaces/acme/workflows', {
    body: { name: 'Write', enabled: true, ...workflow, blocks: { letter: one } },
  })
  await api.post(`/workspaces/acme/workflows/${made.body.data.id}/runs`, { body: {} })
  const [run] = await endedRuns(made.body.data.id)
  const { steps } = (await api.get(`/workspaces/acme/workflow-runs/${run?.id}`)).body.data.attributes
  expect(steps[0].output).toMatchObject({ state: 'suppressed', suppressed: [renewed] })
})

test('until an admin lets a person be written to again', async () => {
  const { person, mail } = await written(fresh('back'))
  await mail.unsubscribes()
  const { body } = await api.get(`/workspaces/acme/suppressions?filter[address]=${mail.to}`)
  expect((await api.delete(`/workspaces/acme/suppressions/${body.data[0].id}`)).status).toBe(200)
  const again = await begin()
  expect(await again.enrol(person)).toEqual(['enrolled'])
  expect((await next()).to).toBe(mail.to)
})

test('a second person with an address is skipped, and gets none of its letters', async () => {
  const address = fresh('shared')
  const { campaign, person } = await written(address)
  await setAddresses(person, fresh('moved'))
  const second = await someone(address)
  expect(await campaign.enrol(second)).toEqual(['duplicate_address'])
  expect(await campaign.row(second)).toMatchObject({ status: 'skipped', exit_reason: 'duplicate_address' })
  // Taken out, the first has had a letter there all the same.
  await campaign.takeOut(person)
  expect(await campaign.enrol(second)).toEqual(['duplicate_address'])
  expect(await (await begin()).enrol(second)).toEqual(['enrolled'])
  expect((await next()).to).toBe(address)
})

test('who was taken out before a letter leaves the address to the next', async () => {
  const address = fresh('left-early')
  const campaign = await begin({
    rest: { ...rest, prev: 'trigger', next: 'only' },
    only: { ...letter('A'), prev: 'rest' },
  })
  const first = await someone(address)
  await campaign.enrol(first)
  await campaign.takeOut(first)
  await setAddresses(first, fresh('moved'))
  const second = await someone(address)
  expect(await campaign.enrol(second)).toEqual(['enrolled'])
})

test('a run that is begun by hand fixes its address with the first letter, unless another has it', async () => {
  const address = fresh('by-hand')
  const { campaign, person } = await written(address)
  await setAddresses(person, fresh('moved'))
  const second = await someone(address)
  const run = async (of: Json) =>
    api.post(`/workspaces/acme/workflows/${campaign.id}/runs`, { body: { object: 'person', record_id: of.id } })
  expect((await run(second)).status).toBe(201)
  await until(async () => (await campaign.row(second))?.status === 'failed')
  const { workflow_run_id: failed } = await campaign.row(second)
  expect((await api.get(`/workspaces/acme/workflow-runs/${failed}`)).body.data.attributes.error).toMatchObject({
    code: 'duplicate_address',
  })
  const third = await someone(fresh('by-hand'))
  await run(third)
  const [of] = third.attributes.email_addresses.items
  expect((await next()).to).toBe(of)
  await campaign.rests(third)
  await setAddresses(third, fresh('moved'))
  await api.post(`/workspaces/acme/workflow-runs/${(await campaign.row(third)).workflow_run_id}/resume`)
  expect((await next()).to).toBe(of)
})

test('the members of a list are enrolled once for each address, and the others are not tried again', async () => {
  const address = fresh('listed')
  const lists = '/workspaces/acme/objects/person/lists'
  const list = (await api.post(lists, { body: { title: 'Guests', type: 'static' } })).body.data.id
  const add = (of: Json) => api.post(`${lists}/${list}/resources`, { body: { data: [{ type: 'person', id: of.id }] } })
  const made = await api.post(path, { body: { name: 'Listed', blocks, list_id: list } })
  const { id } = made.body.data
  const first = await someone(address)
  await add(first)
  await api.post(`${path}/${id}/start`, {})
  await next()
  await setAddresses(first, fresh('moved'))
  const second = await someone(address)
  // A person who joins later is enrolled by an event.
  await add(second)
  const rows = async (): Promise<Json[]> => (await api.get(`${path}/${id}/recipients`)).body.data
  await until(async () => (await rows()).length === 2)
  expect((await rows()).map(({ attributes }) => attributes.exit_reason)).toEqual([null, 'duplicate_address'])
  const runs = async (): Promise<number> =>
    (await api.get(`/workspaces/acme/workflows/${id}/runs`)).body.meta.total_records
  const before = await runs()
  const { body } = await api.post(`${path}/${id}/start`, {})
  const task = body.data.attributes.enrolment_task_id
  await until(async () => {
    const found = await api.get(`/workspaces/acme/async-tasks/${task}`)
    return found.body.data.attributes.state === 'completed'
  })
  expect(await runs()).toBe(before)
  expect(smtp.waiting).toEqual([])
})

test('a wish outlives a merge, the bin, and the record', async () => {
  const { person, mail } = await written(fresh('wish'))
  await mail.unsubscribes()
  await setAddresses(person, fresh('wish'))
  const target = await someone(fresh('target'))
  expect((await records.merge('person', target.id, [person.id])).status).toBe(204)
  const again = await begin()
  expect(await again.enrol(target)).toEqual(['suppressed'])
  await records.remove('person', [target.id])
  await records.restore('person', [target.id])
  expect(await again.enrol(target)).toEqual(['suppressed'])
  await records.remove('person', [target.id])
  await app.advance(31 * 86_400_000)
  while ((await app.purge()).more);
  const { body } = await api.get(`/workspaces/acme/suppressions?filter[address]=${mail.to}`)
  expect(body.data).toMatchObject([{ attributes: { reason: 'unsubscribed', person_id: null } }])
  // Created anew, with the address among others, it is the same person.
  const recreated = await someone(fresh('anew'), String(mail.to))
  expect(await again.enrol(recreated)).toEqual(['suppressed'])
})
