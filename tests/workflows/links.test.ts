import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf, recordsPath } from '../harness/records.ts'
import { schemasOf } from '../harness/schemas.ts'
import { chain, workflowsOf } from '../harness/workflows.ts'

const app = await startApp()
const records = recordsOf(app)
const { make } = schemasOf(app)
const { create, run, runs, runIn, endedRuns, settled, path } = workflowsOf(app)

await make(
  { faces: { xSvcRelationship: { kind: 'one-to-one', entity: 'c_seat', field: 'faced_by' } } },
  { name: 'Seat' },
)
await make(
  { meeting_id: { xSvcRelationship: { kind: 'many-to-one', entity: 'meeting', field: 'agendas' } } },
  { name: 'Agenda' },
)

const follow = async (plugin_id: string, input: Json): Promise<string> =>
  (await create({ name: plugin_id, enabled: true, trigger: { plugin_id, input } })).id

const link = (method: 'post' | 'delete', object: string, id: string, name: string, to: Json) =>
  app.api[method](`${recordsPath(object)}/${id}/relationships/${name}`, {
    body: { data: [{ type: to.type, id: to.id }] },
  })

/** The state of the last run of a workflow. */
const stateOf = async (id: string): Promise<Json> => (await run((await runs(id))[0]?.id)).attributes.trigger.state.event

const begun = async (id: string): Promise<Json[]> =>
  Promise.all(
    (await runs(id)).toReversed().map(async (one) => {
      const { attributes } = await run(one.id)
      const { object, data } = attributes.trigger.state.event
      expect([object.entity, object._id]).toEqual([attributes.object, attributes.record_id])
      return [attributes.record_id, data]
    }),
  )
const following = async (input: Json) => ({
  set: await follow('on:svc:set-relationship', input),
  unset: await follow('on:svc:unset-relationship', input),
  changed: await follow('on:svc:change-relationship', input),
})
const told = async (ids: Record<string, string>) =>
  Object.fromEntries(await Promise.all(Object.entries(ids).map(async ([name, id]) => [name, await begun(id)])))
const removeAll = (ids: Record<string, string>) =>
  Promise.all(Object.values(ids).map((id) => app.api.delete(`${path}/${id}`)))

test('a link to one record is heard of from its own end, where it is set, replaced and cleared', async () => {
  const [one, two] = await records.createMany('company', [{}, {}])
  const ids = await following({ object: 'deal', relationship: 'company_id' })
  const other = await follow('on:svc:change-relationship', { object: 'deal', relationship: 'owner_id' })
  const deal = await records.create('deal', { name: 'Linked', company_id: one.id })
  await records.create('deal', { name: 'Alone' })
  await records.patch('deal', deal.id, { name: 'Linked still' })
  await records.patch('deal', deal.id, { company_id: two.id })
  await records.patch('deal', deal.id, { company_id: null })
  await settled()
  const linked = (to: string) => [deal.id, { relationship: 'company_id', ids: [to] }]
  expect(await told(ids)).toEqual({
    set: [linked(one.id), linked(two.id)],
    unset: [linked(one.id), linked(two.id)],
    changed: [linked(one.id), linked(two.id), linked(two.id)],
  })
  expect(await runs(other)).toEqual([])
  expect((await stateOf(ids.unset)).object).toMatchObject({
    data: { name: 'Linked still', company_id: null },
    diff: [{ op: 'delete', path: ['company_id'], val: null, oldVal: two.id }],
  })
  await removeAll({ ...ids, other })
})

test('a link to one record is heard of from the other end, by the records that gain and lose it', async () => {
  const [one, two] = await records.createMany('company', [{ name: 'One' }, { name: 'Two' }])
  const ids = await following({ object: 'company', relationship: 'deals' })
  const any = await follow('on:svc:change-relationship', { object: 'company' })
  const other = await follow('on:svc:change-relationship', { object: 'company', relationship: 'people' })
  const deal = await records.create('deal', { name: 'Linked', company_id: one.id })
  await link('post', 'company', two.id, 'deals', deal)
  await link('delete', 'company', two.id, 'deals', deal)
  await settled()
  const of = (company: Json) => [company.id, { relationship: 'deals', ids: [deal.id] }]
  const all = await told({ ...ids, any })
  expect(all).toMatchObject({ set: [of(one), of(two)], unset: [of(one), of(two)] })
  for (const name of ['changed', 'any'] as const) {
    expect(all[name]).toHaveLength(4)
    expect(all[name]).toEqual(expect.arrayContaining([of(one), of(two)]))
  }
  expect(await runs(other)).toEqual([])
  expect((await stateOf(ids.set)).object).toMatchObject({ entity: 'company', data: { name: 'Two' }, diff: [] })
  await removeAll({ ...ids, any, other })
})

test('a link to one record is heard of once by each record where both refer to each other', async () => {
  const ids = await following({ object: 'c_seat' })
  const [left, right] = await records.createMany('c_seat', [{ name: 'Left' }, { name: 'Right' }])
  await records.patch('c_seat', left.id, { faces: right.id })
  await settled()
  const all = await told(ids)
  expect(all).toMatchObject({ unset: [] })
  const both = [
    [left.id, { relationship: 'faces', ids: [right.id] }],
    [right.id, { relationship: 'faced_by', ids: [left.id] }],
  ]
  for (const name of ['set', 'changed'] as const) {
    expect(all[name]).toHaveLength(2)
    expect(all[name]).toEqual(expect.arrayContaining(both))
  }
  await removeAll(ids)
})

test('a link to one record ends a run at its other end, and lets one go on that waits for it', async () => {
  const company = await records.create('company', { name: 'Waits' })
  const gains = { plugin_id: 'on:svc:set-relationship', input: { object: 'company', relationship: 'deals' } }
  const waiting = await create({
    name: 'Waits for a deal',
    enabled: true,
    ...chain({ plugin_id: 'on:manual:execution' }, { key: 'wait', plugin_id: 'general:wait:event', input: gains }),
  })
  const ending = await create({
    name: 'Ends by a deal',
    enabled: true,
    ...chain(
      { plugin_id: 'on:manual:execution' },
      { key: 'rest', plugin_id: 'general:delay:for', input: { amount: 9, unit: 'days' } },
    ),
    exits: { out: gains },
  })
  const body = { object: 'company', record_id: company.id }
  const begin = async ({ id }: Json): Promise<string> =>
    (await app.api.post(`${path}/${id}/runs`, { body })).body.data.id
  const [first, second] = [await begin(waiting), await begin(ending)]
  await Promise.all([runIn(first, 'waiting'), runIn(second, 'waiting')])
  await records.create('deal', { company_id: (await records.create('company', {})).id })
  await settled()
  expect((await run(first)).attributes.status).toBe('waiting')
  const deal = await records.create('deal', { company_id: company.id })
  expect((await runIn(first)).attributes).toMatchObject({
    status: 'success',
    steps: [{ output: { happened: true, event: { data: { relationship: 'deals', ids: [deal.id] } } } }],
  })
  expect((await runIn(second)).attributes).toMatchObject({ status: 'success', exit_block_id: 'out' })
})

test('a link begins no run of an owner who does not see the record at its other end', async () => {
  const { as } = await app.addMember('member', 'narrow')
  const trigger = { plugin_id: 'on:svc:set-relationship', input: { object: 'meeting', relationship: 'agendas' } }
  const ownEnd = { plugin_id: 'on:svc:set-relationship', input: { object: 'c_agenda', relationship: 'meeting_id' } }
  const hidden = [
    await create({ name: 'Blind', enabled: true, trigger }, as),
    await create({ name: 'Blind at its own end', enabled: true, trigger: ownEnd }, as),
  ]
  const seeing = await create({ name: 'Seeing', enabled: true, trigger })
  const meeting = await records.create('meeting', { title: 'Confidential' })
  await records.create('c_agenda', { name: 'Points', meeting_id: meeting.id })
  await endedRuns(seeing.id)
  await settled()
  expect(await runs(seeing.id)).toHaveLength(1)
  for (const { id } of hidden) expect(await runs(id)).toEqual([])
})
