import { simpleParser } from 'mailparser'
import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { scansMs, urlsIn } from '../harness/letters.ts'
import { mailServer } from '../harness/mail.ts'
import { freshAddress, recordsOf } from '../harness/records.ts'
import { workflowsOf } from '../harness/workflows.ts'

const smtp = await mailServer()
const app = await startApp({ mail: { smtpUrl: smtp.url, from: 'Acme <hello@acme.example>' } })
const { api } = app
const records = recordsOf(app)
const { until, run } = workflowsOf(app)
const path = '/workspaces/acme/campaigns'

const rest = (prev: string, next: string | null) => ({
  plugin_id: 'general:delay:for',
  input: { amount: 1, unit: 'days' },
  prev,
  next,
})
const rests = { one: rest('trigger', 'two'), two: rest('one', 'three'), three: rest('two', null) }

const someone = () => records.create('person', { email_addresses: { items: [freshAddress()] } })

/** A campaign, and two of its people, each gone on so many times. */
async function begin(given: Json = { blocks: rests }) {
  const { body } = await api.post(path, { body: { name: 'Spring', ...given } })
  const one = `${path}/${body.data.id}`
  await api.post(`${one}/start`, {})
  const page = async (): Promise<Json> => (await api.get(`${one}/recipients`)).body
  const row = async (of: Json): Promise<Json> =>
    (await page()).data.find(({ attributes }: Json) => attributes.person._id === of.id)?.attributes
  const enrol = (of: Json) => api.post(`${one}/recipients`, { body: { items: [of.id] } })
  /** Lets a person go on until they rest at a block, or are at the end. */
  const goTo = async (of: Json, block: string | null): Promise<string> => {
    for (;;) {
      const { status, current_block_id, workflow_run_id } = await until(async () => {
        const found = await row(of)
        return ['waiting', 'success'].includes(found?.status) && found
      })
      if (current_block_id === block) return workflow_run_id
      expect(status).toBe('waiting')
      await api.post(`/workspaces/acme/workflow-runs/${workflow_run_id}/resume`)
      await until(async () => (await row(of)).current_block_id !== current_block_id)
    }
  }
  return { one, page, row, enrol, goTo }
}

/** Where the source and the target are, and whose run is kept. */
const cases: readonly [from: string | null, to: string | null, kept: 'source' | 'target'][] = [
  ['two', 'one', 'source'],
  ['one', 'three', 'target'],
  ['two', 'two', 'target'],
  [null, 'three', 'source'],
  ['three', null, 'target'],
]

test.each(cases)('of runs at %j and %j a merge keeps that of the %s', async (from, to, kept) => {
  const campaign = await begin()
  const [source, target] = [await someone(), await someone()]
  await campaign.enrol(source)
  await campaign.enrol(target)
  const runs = { source: await campaign.goTo(source, from), target: await campaign.goTo(target, to) }
  expect((await records.merge('person', target.id, [source.id])).status).toBe(204)
  const page = await campaign.page()
  expect(page.meta.total_records).toBe(1)
  const at = kept === 'source' ? from : to
  expect(page.data[0].attributes).toMatchObject({
    workflow_run_id: runs[kept],
    current_block_id: at,
    status: at === null ? 'success' : 'waiting',
    person: { _id: target.id },
  })
  const lost = await run(runs[kept === 'source' ? 'target' : 'source'])
  if ((kept === 'source' ? to : from) !== null)
    expect(lost.attributes).toMatchObject({ status: 'cancelled', exit_reason: 'on:svc:merge:record' })
  if (at === null) return
  // It goes on in the place of the target.
  await campaign.goTo(target, null)
  expect((await run(runs[kept])).attributes).toMatchObject({ status: 'success', record_id: target.id })
})

test('one who was taken out is taken for no further than one who goes on', async () => {
  const campaign = await begin()
  const [source, target] = [await someone(), await someone()]
  for (const one of [source, target]) await campaign.enrol(one)
  await campaign.goTo(source, 'three')
  const goesOn = await campaign.goTo(target, 'one')
  await api.delete(`${campaign.one}/recipients`, { body: { items: [source.id] } })
  await records.merge('person', target.id, [source.id])
  expect(await campaign.row(target)).toMatchObject({ workflow_run_id: goesOn, status: 'waiting' })
})

test('a run that was moved ends by what the merged person does, and writes to the address that it had', async () => {
  const message = [
    {
      type: 'paragraph',
      content: [{ type: 'link', href: 'https://offer.example', content: [{ type: 'text', text: 'x' }] }],
    },
  ]
  const letter = (prev: string, next: string | null) => ({
    plugin_id: 'svc:send:email',
    input: { subject: 'Offer', message, track_clicks: true },
    prev,
    next,
  })
  const campaign = await begin({
    blocks: { a: letter('trigger', 'one'), one: rest('a', 'b'), b: letter('one', 'two'), two: rest('b', null) },
    exits: { clicked: { plugin_id: 'on:email:click' } },
  })
  const [source, target] = [await someone(), await someone()]
  await campaign.enrol(source)
  await campaign.goTo(source, 'one')
  const [address] = source.attributes.email_addresses.items
  expect((await smtp.next()).to).toEqual([address])
  await records.merge('person', target.id, [source.id])
  await campaign.goTo(target, 'two')
  const second = await smtp.next()
  expect(second.to).toEqual([address])
  const { html } = await simpleParser(second.raw)
  const click = urlsIn(html || '').find((url) => url.includes('/click/')) ?? ''
  await app.advance(scansMs)
  await app.http.send({ method: 'GET', url: click.replace(/^https?:\/\/[^/]+/, app.origin) })
  await until(async () => (await campaign.row(target)).status === 'success')
  expect(await campaign.row(target)).toMatchObject({ exit_reason: 'on:email:click', has_clicked: true })
  const totals: Json[] = (await api.get(`${campaign.one}/totals`)).body.data
  expect(totals.find(({ kind }) => kind === 'clicked')?.total).toBe(1)
})
