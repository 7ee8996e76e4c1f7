import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf } from '../harness/records.ts'
import { workflowsOf } from '../harness/workflows.ts'

const app = await startApp()
const records = recordsOf(app)
const workflows = workflowsOf(app)

const amount = (op: string, value?: number | string) => ({
  field: 'state.event.object.data.amount',
  op,
  ...(value !== undefined && { value }),
})

const branching = (filter: object) => ({
  name: 'By amount',
  enabled: true,
  trigger: { plugin_id: 'on:manual:execution', input: { object: 'deal' }, next: 'which' },
  blocks: {
    which: {
      plugin_id: 'general:branch',
      input: { branches: [{ key: 'large', filter, next: 'large' }] },
      prev: 'trigger',
      next: 'small',
    },
    large: {
      plugin_id: 'svc:update:record',
      input: { object: 'deal', record_id: '{{trigger.state.event.object._id}}', attributes: { stage: 'Proposal' } },
      prev: 'which',
      next: 'both',
    },
    small: {
      plugin_id: 'svc:create:comment',
      input: { object: 'deal', record_id: '{{trigger.state.event.object._id}}', message: 'Small.' },
      prev: 'which',
      next: 'both',
    },
    both: {
      plugin_id: 'svc:create:record',
      input: { object: 'task', attributes: { title: '<{{large.state.output.record.attributes.stage}}>' } },
      prev: 'large',
      next: null,
    },
  },
})

/** The steps of a run for a deal. */
async function stepsFor(id: string, attributes: object): Promise<Json[]> {
  const deal = await records.create('deal', attributes)
  const { body } = await app.api.post(`${workflows.path}/${id}/runs`, {
    body: { object: 'deal', record_id: deal.id },
  })
  const run = await workflows.runIn(body.data.id)
  expect(run.attributes.error).toBeNull()
  return run.attributes.steps
}

test('goes the way of the first branch that fits, else on; arms join, and what was not reached is null', async () => {
  const { id } = await workflows.create(branching(amount('Greater than', 1000)))
  const ways = []
  for (const value of [5000, 10])
    ways.push(
      (await stepsFor(id, { name: `Of ${value}`, amount: value })).map(({ block_id, output }) => [block_id, output]),
    )
  expect(ways).toMatchObject([
    [
      ['which', { branch: 'large' }],
      ['large', { record: { attributes: { stage: 'Proposal' } } }],
      ['both', { record: { attributes: { title: '<Proposal>' } } }],
    ],
    [
      ['which', { branch: null }],
      ['small', { comment_id: expect.any(String) }],
      ['both', { record: { attributes: { title: '<>' } } }],
    ],
  ])
})

test('takes a tree of conditions, and compares with variables', async () => {
  const tree = {
    and: [
      { not: amount('Is empty') },
      { or: [amount('Less than', 5), amount('Is', '{{trigger.state.event.object.data.amount}}')] },
    ],
  }
  const { id } = await workflows.create(branching(tree))
  expect((await stepsFor(id, { amount: 7 }))[0]).toMatchObject({
    output: { branch: 'large' },
    unresolved: [],
    input: { branches: [{ filter: { and: [{}, { or: [{}, { value: 7 }] }] } }] },
  })
  expect((await stepsFor(id, {}))[0]).toMatchObject({ output: { branch: null } })
})

test('the field of a condition takes the filters of a variable, and is refused where it is none', async () => {
  const limit = 'state.event.object.data.amount'
  const withDefault = { field: `${limit} | default:7`, op: 'Greater than', value: 6 }
  const ofTime = { field: `trigger.state.event.created_at | date:"yyyy" | number`, op: 'Greater than', value: 2000 }
  const { id } = await workflows.create(branching({ and: [withDefault, ofTime] }))
  expect((await stepsFor(id, {}))[0]).toMatchObject({ output: { branch: 'large' } })
  expect((await stepsFor(id, { amount: 3 }))[0]).toMatchObject({ output: { branch: null } })
  for (const field of [`${limit} | upcase`, `${limit} | default:`, `${limit} || "x"`, `{{trigger.${limit}}}`]) {
    const body = branching({ field, op: 'Is', value: 1 })
    const { status, body: told } = await app.api.post(workflows.path, { body })
    expect([status, told.errors[0].source.pointer]).toEqual([422, '/blocks/which/input/branches/0/filter/field'])
  }
})

const finding = (filter: object) => ({
  name: 'Finds',
  enabled: true,
  trigger: { plugin_id: 'on:manual:execution', input: { object: 'deal' }, next: 'find' },
  blocks: {
    find: { plugin_id: 'svc:find:records', input: { object: 'deal', filter }, prev: 'trigger', next: null },
  },
})

describe('a variable without a value', () => {
  const nobody = '{{trigger.state.event.object.data.owner_id}}'
  const named = ['trigger.state.event.object.data.owner_id']

  test('lets no branch be taken, whether it is asked for or denied', async () => {
    for (const filter of [
      { field: 'state.event.object.data.company_id', op: 'Is', value: nobody },
      { field: 'state.event.object.data.company_id', op: 'Is not', value: nobody },
      { not: { field: 'state.event.object.data.company_id', op: 'Is', value: nobody } },
    ]) {
      const { id } = await workflows.create(branching(filter))
      const [which, next] = await stepsFor(id, { owner_id: null })
      expect(which).toMatchObject({ output: { branch: null }, unresolved: named })
      expect(next).toMatchObject({ block_id: 'small', unresolved: [] })
    }
  })

  test('lets a step be skipped', async () => {
    const graph = branching(amount('Is', 1))
    const filters = [{ field: 'state.event.object.data.amount', condition: { operator: 'Is not', value: nobody } }]
    const { id } = await workflows.create({
      ...graph,
      blocks: { ...graph.blocks, small: { ...graph.blocks.small, filters } },
    })
    const steps = await stepsFor(id, { amount: 2, owner_id: null })
    expect(steps.map(({ block_id, status, unresolved }) => [block_id, status, unresolved])).toEqual([
      ['which', 'success', []],
      ['small', 'skipped', named],
      ['both', 'success', []],
    ])
  })

  test('lets nothing be found', async () => {
    await records.create('deal', { company_id: null })
    const company = '{{trigger.state.event.object.data.company_id}}'
    const { id } = await workflows.create(finding({ not: { field: 'company_id', op: 'Is', value: company } }))
    expect((await stepsFor(id, { company_id: null }))[0]).toMatchObject({
      output: { records: [], total: 0 },
      unresolved: ['trigger.state.event.object.data.company_id'],
    })
    const either = {
      or: [
        { field: 'company_id', op: 'Is', value: company },
        { field: 'name', op: 'Is', value: 'Found' },
      ],
    }
    const { id: other } = await workflows.create(finding(either))
    expect((await stepsFor(other, { name: 'Found', company_id: null }))[0]).toMatchObject({
      output: { total: 1 },
      unresolved: ['trigger.state.event.object.data.company_id'],
    })
  })

  test('begins no run', async () => {
    const filters = [{ field: 'state.event.object.data.amount', condition: { operator: 'Is not', value: nobody } }]
    const trigger = { plugin_id: 'on:svc:create:record', input: { object: 'deal' }, filters }
    const { id } = await workflows.create({ name: 'Asks for its owner', enabled: true, trigger })
    await records.create('deal', { amount: 1, owner_id: null })
    const owned = await records.create('deal', { amount: 1, owner_id: app.userIds.member })
    await workflows.settled()
    const begun = await workflows.runs(id)
    expect(begun.map(({ attributes }) => attributes.record_id)).toEqual([owned.id])
  })
})

test.each([
  [amount('Larger than', 1), 'op'],
  [amount('Greater than'), 'value'],
  [amount('Is', '{{trigger.state.event.object.data.nothing}}'), 'value'],
  [{ ...amount('Is', 1), field: 'large.state.output.record' }, 'field'],
  [{ ...amount('Is', 1), field: 'state.event.object.data.nothing' }, 'field'],
  [{ ...amount('Is', 1), field: 'state.event.type', op: 'Changed' }, 'field'],
])('is refused with the condition %j', async (condition, member) => {
  for (const [filter, at] of [
    [condition, ''],
    [{ or: [amount('Is', 1), { not: condition }] }, '/or/1/not'],
  ] as const) {
    const { status, body } = await app.api.post(workflows.path, { body: branching(filter) })
    expect([status, body.errors.map(({ source }: { source: unknown }) => source)]).toEqual([
      422,
      [{ pointer: `/blocks/which/input/branches/0/filter${at}/${member}` }],
    ])
  }
})

test('is refused with a key that comes twice, and with what is no branch', async () => {
  const { trigger, blocks } = branching(amount('Is', 1))
  const [one] = blocks.which.input.branches
  const pointersFor = async (branches: object[]) => {
    const which = { ...blocks.which, input: { branches } }
    const body = { name: 'No', enabled: true, trigger, blocks: { ...blocks, which } }
    const { status, body: told } = await app.api.post(workflows.path, { body })
    return [status, told.errors.map(({ source }: { source: { pointer: string } }) => source.pointer)]
  }
  const at = '/blocks/which/input/branches'
  expect(await pointersFor([one!, { ...one!, next: null }])).toEqual([422, [`${at}/1/key`]])
  const older = { label: 'Large', filters: [], next: 'large' }
  expect(await pointersFor([older])).toEqual([422, expect.arrayContaining([`${at}/0/key`, `${at}/0/filter`])])
})
