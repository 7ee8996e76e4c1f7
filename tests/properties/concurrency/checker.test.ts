import { expect, test } from 'vitest'
import { findSerialOrder, type Event } from './checker.ts'

// Histories made by hand, of one register, a set of records and a counter. They show that the checker of histories
// finds what it is there for, and accuses no other.

type Register = { readonly value: number }
type Call = readonly [invoked: number, responded: number]

const register = (value: number): Register => ({ value })
const write = ([invoked, responded]: Call, value: number): Event<Register> => ({
  invoked,
  responded,
  step: () => register(value),
})
const read = ([invoked, responded]: Call, value: number): Event<Register> => ({
  invoked,
  responded,
  isPure: true,
  step: (state) => (state.value === value ? state : undefined),
})
/** A conditional write: it says that it found `expected`. */
const swap = ([invoked, responded]: Call, expected: number, value: number): Event<Register> => ({
  invoked,
  responded,
  step: (state) => (state.value === expected ? register(value) : undefined),
})
/** Ends what is there; where nothing is, it changes nothing. */
const clear = ([invoked, responded]: Call): Event<Register> => ({
  invoked,
  responded,
  step: (state) => (state.value === 0 ? state : register(0)),
})
const unknown = (event: Event<Register>): Event<Register> => ({ ...event, responded: Infinity, optional: true })

const verdict = (events: readonly Event<Register>[], final: number) =>
  findSerialOrder({
    initial: register(0),
    events,
    isFinal: ({ value }) => value === final,
    fingerprint: ({ value }) => String(value),
  })

test.for<[string, Event<Register>[], number]>([
  ['nothing', [], 0],
  ['one after another', [write([0, 1], 1), read([2, 3], 1), write([4, 5], 2), read([6, 7], 2)], 2],
  ['a read beside a write sees what was before', [write([0, 10], 1), read([1, 2], 0)], 1],
  ['a read beside a write sees what is after', [write([0, 10], 1), read([1, 2], 1)], 1],
  ['two writes at once end either way, the first', [write([0, 10], 1), write([0, 10], 2)], 1],
  ['two writes at once end either way, the second', [write([0, 10], 1), write([0, 10], 2)], 2],
  [
    'three conditional writes that only one order explains',
    [swap([0, 10], 2, 3), swap([0, 10], 0, 1), swap([0, 10], 1, 2)],
    3,
  ],
  ['a change that would change nothing if it came first', [clear([0, 10]), write([0, 12], 1)], 0],
  ['an unknown write that happened', [unknown(write([0, 1], 1)), read([2, 3], 1)], 1],
  ['an unknown write that did not happen', [unknown(write([0, 1], 1)), read([2, 3], 0)], 0],
  [
    'an unknown write that happens after its answer was lost',
    [unknown(write([0, 1], 1)), read([2, 3], 0), read([4, 5], 1)],
    1,
  ],
])('%s is serial', ([_what, events, final]) => {
  expect(verdict(events, final).kind).toBe('serial')
})

test.for<[string, Event<Register>[], number]>([
  ['a lost update: both conditional writes found the same', [swap([0, 10], 0, 1), swap([0, 10], 0, 2)], 2],
  ['a stale read: it was sent when the write was answered', [write([0, 1], 1), read([2, 3], 0)], 1],
  ['a read of what is not written yet', [read([0, 1], 1), write([2, 3], 1)], 1],
  [
    'two readers who see two writes in different orders',
    [write([0, 10], 1), write([0, 10], 2), read([11, 12], 1), read([13, 14], 2)],
    2,
  ],
  ['an acknowledged write that is gone in the end', [write([0, 1], 1)], 0],
  ['a value that no client wrote', [write([0, 1], 1)], 3],
  ['an unknown write that is seen and taken back', [unknown(write([0, 1], 1)), read([2, 3], 1), read([4, 5], 0)], 0],
])('%s is not serial', ([_what, events, final]) => {
  expect(verdict(events, final).kind).toBe('none')
})

/** Records by id, live or deleted. */
type Records = Readonly<Record<string, 'live' | 'deleted'>>

const inRecords = (initial: Records, events: readonly Event<Records>[], final: Records) =>
  findSerialOrder({
    initial,
    events,
    isFinal: (state) => JSON.stringify(state) === JSON.stringify(final),
    fingerprint: (state) => JSON.stringify(state),
  }).kind

/** Creates a record, or finds that it is there, as a request that is sent twice under one key. */
const create = ([invoked, responded]: Call, id: string, isNew: boolean): Event<Records> => ({
  invoked,
  responded,
  step: (state) => ((state[id] === undefined) !== isNew ? undefined : isNew ? { ...state, [id]: 'live' } : state),
})
const restore = ([invoked, responded]: Call, id: string, isDone: boolean): Event<Records> => ({
  invoked,
  responded,
  step: (state) => ((state[id] === 'deleted') !== isDone ? undefined : isDone ? { ...state, [id]: 'live' } : state),
})

test('a doubled create is found: both were told that theirs is the new one', () => {
  expect(inRecords({}, [create([0, 10], 'a', true), create([0, 10], 'a', false)], { a: 'live' })).toBe('serial')
  expect(inRecords({}, [create([0, 10], 'a', true), create([0, 10], 'a', true)], { a: 'live' })).toBe('none')
  expect(inRecords({}, [create([0, 10], 'a', true)], { a: 'live', b: 'live' })).toBe('none')
})

test('a phantom restore is found: it was answered, and the record is still deleted', () => {
  expect(inRecords({ a: 'deleted' }, [restore([0, 10], 'a', true), restore([0, 10], 'a', false)], { a: 'live' })).toBe(
    'serial',
  )
  expect(inRecords({ a: 'deleted' }, [restore([0, 10], 'a', true)], { a: 'deleted' })).toBe('none')
  expect(inRecords({ a: 'deleted' }, [restore([0, 10], 'a', true), restore([0, 10], 'a', true)], { a: 'live' })).toBe(
    'none',
  )
})

/** Adds a power of two, so that every set of additions leads to a value of its own. */
const add = (digit: number): Event<Register> => ({
  invoked: 0,
  responded: 10 + digit,
  step: ({ value }) => register(value + 2 ** digit),
})

test('a history of thirty operations that commute is decided, where it is serial and where it is not', () => {
  const events = Array.from({ length: 12 }, (_, digit) => add(digit))
  const reads = Array.from({ length: 18 }, () => read([0, 100], 4095))
  const found = verdict([...events, ...reads], 4095)
  expect([found.kind, found.steps < 1000]).toEqual(['serial', true])
  // Every set of additions leads to one state, so that there are 4,096 places to look at.
  expect(verdict([...events, ...reads], 4094).kind).toBe('none')
})

test('who gives up says so', () => {
  const events = Array.from({ length: 12 }, (_, digit) => write([0, 10], digit))
  const { kind } = findSerialOrder({
    initial: register(0),
    events,
    isFinal: () => false,
    fingerprint: ({ value }) => String(value),
    stepsMax: 100,
  })
  expect(kind).toBe('undecided')
})
