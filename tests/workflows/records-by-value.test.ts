import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf } from '../harness/records.ts'
import { chain, workflowsOf } from '../harness/workflows.ts'

const app = await startApp()
const records = recordsOf(app)
const workflows = workflowsOf(app)

const deal = { match: { name: 'HARBOUR' } }
const company = { match: { domains: 'Acme.example' } }

/** An input of each block that takes the id of a record, with a unique value in its place. */
const inputs: Readonly<Record<string, Json>> = {
  'svc:update:record': { object: 'deal', record_id: deal, attributes: { stage: 'Won' } },
  'svc:set-relationship': { object: 'deal', record_id: deal, relationship: 'company_id', ids: [company] },
  'svc:unset-relationship': { object: 'company', record_id: company, relationship: 'deals', ids: [deal] },
  'svc:add-to-list': { object: 'deal', record_ids: [deal] },
  'svc:remove-from-list': { object: 'deal', record_ids: [deal] },
  'svc:create:comment': { object: 'deal', record_id: deal, message: 'Found.' },
  'general:wait:event': {
    plugin_id: 'on:svc:update:record',
    input: { object: 'deal' },
    record_id: deal,
    timeout: { amount: 1, unit: 'days' },
  },
  'svc:delete:record': { object: 'deal', record_id: deal },
}

/** Members whose name is that of an id, and that name no record. */
const others = new Set(['plugin_id', 'list_id', 'attachment_ids', 'owner_id', 'assignee_id'])

test('every block that takes the id of a record takes a unique value of it', async () => {
  const { body } = await app.api.get('/workspaces/acme/workflow-plugins', { query: { 'page[limit]': 200 } })
  const taking = (body.data as Json[])
    .filter(({ attributes }) => attributes.kinds.includes('action'))
    .filter(({ attributes }) =>
      Object.keys(attributes.input.properties ?? {}).some((name) => /(?:^|_)ids?$/.test(name) && !others.has(name)),
    )
    .map(({ id }) => id as string)
  expect(taking.toSorted(), 'see namedRecord of blocks/inputs.ts').toEqual(Object.keys(inputs).toSorted())
})

test('blocks find records by a unique value, and fail where there is none', async () => {
  const { id } = await records.create('deal', { name: 'Harbour' })
  const { id: companyId } = await records.create('company', { domains: { items: ['acme.example'] } })
  const list = await app.api.post('/workspaces/acme/objects/deal/lists', { body: { title: 'Ours', type: 'static' } })
  const list_id = list.body.data.id as string
  const blocks = Object.entries(inputs).map(([plugin_id, input], index) => ({
    key: `block_${index}`,
    plugin_id,
    input: plugin_id.includes('list') ? { ...input, list_id } : input,
  }))
  const create = (...some: Json[]) =>
    workflows.create({ name: 'By value', enabled: true, ...chain({ plugin_id: 'on:manual:execution' }, ...some) })
  const begin = async (workflow: Json) =>
    (await app.api.post(`${workflows.path}/${workflow.id}/runs`, { body: {} })).body.data.id as string
  const run = await begin(await create(...blocks))
  await workflows.runIn(run, 'waiting')
  await records.patch('deal', id, { amount: 5 })
  const { attributes } = await workflows.runIn(run)
  expect(attributes.error).toBeNull()
  expect(attributes.steps.map(({ output }: Json) => output)).toMatchObject([
    { record: { id, attributes: { stage: 'Won' } } },
    { ids: [companyId] },
    { ids: [id] },
    { record_ids: [id] },
    { record_ids: [id] },
    { comment_id: expect.any(String) },
    { happened: true },
    { record: { id } },
  ])
  expect((await records.get('deal', id)).status).toBe(404)

  const failing = await begin(await create(blocks[0]))
  expect((await workflows.runIn(failing)).attributes.error).toMatchObject({ code: 'not_found' })
})
