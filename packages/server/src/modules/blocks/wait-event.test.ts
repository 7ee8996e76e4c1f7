import { expect, test } from 'vitest'
import { contextOf, StandIn, triedAt } from './testing/stand-in.ts'
import { waitEvent } from './wait-event.ts'

const scope = { trigger: { state: { event: { object: { _id: 'deal-1' } } } } }
const context = contextOf(new StandIn({}).call, { scope })
const plugin = 'on:svc:update:record'
const asked = { object: 'deal', fields: ['stage'] }
const input = { plugin_id: plugin, input: asked }
const day = 24 * 3_600_000

test('waits for an event of the record of the run, for a year at most', async () => {
  expect(await waitEvent.run(context, input)).toEqual({
    state: 'wait',
    until: triedAt + 366 * day,
    event: { plugin, input: asked, recordId: 'deal-1' },
  })
})

test.each([
  [{ record_id: 'deal-2' }, 'deal-2'],
  [{ record_id: null }, null],
])('waits for another record, or for any: %j', async (given, recordId) => {
  const timeout = { amount: 2, unit: 'days' }
  expect(await waitEvent.run(context, { ...input, ...given, timeout })).toMatchObject({
    until: triedAt + 2 * day,
    event: { recordId },
  })
})

test('waits for any record where the run has none', async () => {
  expect(await waitEvent.run({ ...context, scope: {} }, input)).toMatchObject({ event: { recordId: null } })
})

test.each([
  ['the event has happened', { event: { id: 1 } }, { happened: true, event: { id: 1 } }],
  ['the time is over', { event: undefined }, { happened: false, event: null }],
])('goes on when %s', async (_when, resumed, output) => {
  expect(await waitEvent.run({ ...context, resumed }, input)).toEqual({ state: 'done', output })
})

test('goes on at once in a test run', async () => {
  const run = { ...context.run, isDryRun: true }
  const timeout = { amount: 1, unit: 'hours' }
  expect(await waitEvent.run({ ...context, run }, { ...input, timeout })).toEqual({
    state: 'done',
    output: { happened: false, event: null, until: '2026-06-15T13:00:00.000Z' },
  })
})

test.each([
  [{ plugin_id: 'on:manual:execution', input: {} }, 'plugin_id'],
  [{ plugin_id: 'on:svc:nothing', input: {} }, 'plugin_id'],
  [{ plugin_id: plugin, input: {} }, 'input.object'],
  [{ plugin_id: plugin, input: { ...asked, more: 1 } }, 'more'],
  [{ ...input, timeout: { amount: 60, unit: 'weeks' } }, 'timeout.amount'],
])('refuses %j', async (given, named) => {
  await expect(waitEvent.run(context, given)).rejects.toMatchObject({
    code: 'invalid_input',
    message: expect.stringContaining(named),
  })
})
