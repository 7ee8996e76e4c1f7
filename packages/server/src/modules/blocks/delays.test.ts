import { describe, expect, test } from 'vitest'
import { blockChecks } from './testing/block-checks.ts'
import { contextOf, StandIn, triedAt } from './testing/stand-in.ts'
import { delayFor } from './delay-for.ts'
import { delayUntil } from './delay-until.ts'

const context = contextOf(new StandIn({}).call)
const waitsUntil = (iso: string) => ({ state: 'wait', until: Date.parse(iso) })

describe('general:delay:for', () => {
  const soon = { amount: 3, unit: 'days' }

  test.each([
    [{ amount: 1.5, unit: 'minutes' }, '2026-06-15T12:01:30.000Z'],
    [{ amount: 2, unit: 'hours' }, '2026-06-15T14:00:00.000Z'],
    [soon, '2026-06-18T12:00:00.000Z'],
    [{ amount: 1, unit: 'weeks' }, '2026-06-22T12:00:00.000Z'],
  ])('waits for %j', async (input, until) => {
    expect(await delayFor.run(context, input)).toEqual(waitsUntil(until))
  })

  // In Berlin it is two in the afternoon, and clocks are set back by an hour in the night.
  const beforeChange = { now: Date.UTC(2026, 9, 24, 12), timeZone: async () => 'Europe/Berlin' }

  test.each([
    [{ amount: 24, unit: 'hours' }, '2026-10-25T12:00:00.000Z'],
    [{ amount: 1, unit: 'days' }, '2026-10-25T13:00:00.000Z'],
    [{ amount: 1.5, unit: 'days' }, '2026-10-26T01:00:00.000Z'],
    [{ amount: 1, unit: 'weeks' }, '2026-10-31T13:00:00.000Z'],
    [{ amount: 0.5, unit: 'days' }, '2026-10-25T00:00:00.000Z'],
  ])('keeps the time of day of the workspace over days and weeks: %j', async (input, until) => {
    expect(await delayFor.run({ ...context, ...beforeChange }, input)).toEqual(waitsUntil(until))
  })

  test('goes on when the time has come', async () => {
    const resumed = { event: undefined }
    expect(await delayFor.run({ ...context, resumed }, soon)).toEqual({
      state: 'done',
      output: { until: '2026-06-15T12:00:00.000Z' },
    })
  })

  test.each([
    [{ amount: 0, unit: 'days' }],
    [{ amount: -1, unit: 'days' }],
    [{ amount: 53, unit: 'weeks' }],
    [{ amount: Infinity, unit: 'days' }],
    [{ amount: '3', unit: 'days' }],
    [{ amount: 3, unit: 'months' }],
  ])('refuses %j', async (input) => {
    await expect(delayFor.run(context, input)).rejects.toMatchObject({ code: 'invalid_input' })
  })

  test('shows in a test run until when it would wait', async () => {
    expect(await delayFor.run({ ...context, run: { ...context.run, isDryRun: true } }, soon)).toEqual({
      state: 'done',
      output: { until: '2026-06-18T12:00:00.000Z' },
    })
  })
})

describe('general:delay:until', () => {
  test.each(
    blockChecks(delayUntil, {
      input: { at: '2020-01-01' },
      output: { until: '2026-06-15T12:00:00.000Z' },
      rehearsal: { until: '2026-06-15T12:00:00.000Z' },
    }),
  )('in the past: %s', (_title, check) => check())

  test.each([
    [{ at: '2026-06-18' }, '2026-06-18T00:00:00.000Z'],
    [{ at: '2026-06-18', time_zone: 'Europe/Berlin' }, '2026-06-17T22:00:00.000Z'],
    [{ at: '2026-06-18', time: '09:00', time_zone: 'Europe/Berlin' }, '2026-06-18T07:00:00.000Z'],
    [{ at: '2026-06-18T23:30:00Z' }, '2026-06-18T23:30:00.000Z'],
    [{ at: '2026-06-18T23:30:00+02:00', time_zone: 'Europe/Berlin' }, '2026-06-18T21:30:00.000Z'],
    // In Berlin it is the 19th already.
    [{ at: '2026-06-18T23:30:00Z', time: '09:00', time_zone: 'Europe/Berlin' }, '2026-06-19T07:00:00.000Z'],
    // The clocks go from 02:00 to 03:00.
    [{ at: '2027-03-28', time: '02:30', time_zone: 'Europe/Berlin' }, '2027-03-28T01:30:00.000Z'],
    // 02:30 comes twice.
    [{ at: '2026-10-25', time: '02:30', time_zone: 'Europe/Berlin' }, '2026-10-25T00:30:00.000Z'],
  ])('waits until %j', async (input, until) => {
    expect(await delayUntil.run(context, input)).toEqual(waitsUntil(until))
  })

  test.each([
    [{ at: '2026-06-18' }, 'Asia/Kathmandu', '2026-06-17T18:15:00.000Z'],
    [{ at: '2026-06-18', time: '09:00' }, 'Asia/Kathmandu', '2026-06-18T03:15:00.000Z'],
    [{ at: '2026-06-18', time_zone: 'UTC' }, 'Asia/Kathmandu', '2026-06-18T00:00:00.000Z'],
    [{ at: '2026-06-18T23:30:00Z' }, 'Asia/Kathmandu', '2026-06-18T23:30:00.000Z'],
    [{ at: '2026-06-18T09:00' }, 'Asia/Kathmandu', '2026-06-18T03:15:00.000Z'],
    [{ at: '2026-06-18T09:00:30.5' }, 'Asia/Kathmandu', '2026-06-18T03:15:30.500Z'],
    [{ at: '2026-06-18T09:00+0900' }, 'Asia/Kathmandu', '2026-06-18T00:00:00.000Z'],
    [{ at: '2026-10-25T02:30', time_zone: 'Europe/Berlin' }, 'Asia/Kathmandu', '2026-10-25T00:30:00.000Z'],
    // There clocks go from midnight to one.
    [{ at: '2027-03-28' }, 'Asia/Beirut', '2027-03-27T22:00:00.000Z'],
    // There midnight comes twice.
    [{ at: '2026-11-01' }, 'America/Havana', '2026-11-01T04:00:00.000Z'],
  ])('waits until %j where the workspace is in %s', async (input, zone, until) => {
    expect(await delayUntil.run({ ...context, timeZone: async () => zone }, input)).toEqual(waitsUntil(until))
  })

  test('goes on when the time has come', async () => {
    const resumed = { event: undefined }
    const at = { at: '2026-06-18' }
    expect(await delayUntil.run({ ...context, resumed, now: triedAt + 1 }, at)).toEqual({
      state: 'done',
      output: { until: '2026-06-15T12:00:00.001Z' },
    })
  })

  test.each([
    [{ at: null }, 'invalid_input'],
    [{ at: 'tomorrow' }, 'invalid_input'],
    [{ at: '2026-02-30' }, 'invalid_input'],
    [{ at: '2026-06-18', time: '24:00' }, 'invalid_input'],
    [{ at: '2026-06-18', time_zone: 'Europe/Nowhere' }, 'invalid_input'],
    [{ at: '2028-06-18' }, 'too_far'],
  ])('refuses %j', async (input, code) => {
    await expect(delayUntil.run(context, input)).rejects.toMatchObject({ code })
  })
})
