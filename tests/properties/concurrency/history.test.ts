import { expect, test } from 'vitest'
import { Random } from '../../harness/random.ts'
import type { Json } from '../../harness/http.ts'
import * as effects from './effects.ts'
import type { Log } from './events.ts'
import type { Found } from './found.ts'
import { check } from './history.ts'
import { Pool, type Happening, type Operation } from './operations.ts'
import { pageParts } from './pages.ts'
import { item, State, unknownId } from './state.ts'

// Histories made by hand: what a lost answer leaves open and what it does not, and how far a page may be torn.

const member = { as: 'member', id: 'member' } as const
const people = { admin: member, member, second: member }
const pool = new Pool({ random: new Random(1), people, mark: 'set', extra: [], nodes: 1 })

const create = (state: State, id: string): State => {
  const next = state.copy()
  effects.create(next, item, [{ id, attributes: { name: id } }], member.id)
  return next
}

const remove = (state: State, id: string): State => {
  const next = state.copy()
  effects.remove(next, [id])
  return next
}

const empty = new State()
empty.schemas.set(item, new Map([['name', 'text']]))
const stateOf = (...ids: readonly string[]): State => ids.reduce(create, empty)

const foundOf = (...ids: readonly string[]): Found => ({
  live: Object.fromEntries(ids.map((id) => [id, stateOf(id).attributes(id)])),
  deleted: {},
  rest: [],
  versions: Object.fromEntries(ids.map((id) => [id, 1])),
})

const operation = (expected: Operation['expect'], more: Partial<Operation> = {}): Operation => ({
  words: 'an operation',
  send: () => Promise.reject(new Error('It was sent by hand')),
  expect: expected,
  ...more,
})

const creating = operation((state, [id = unknownId]) => ({ status: 201, body: {}, next: create(state, id) }))

type Times = readonly [invoked: number, responded: number]

const happening = (
  one: Operation,
  [invoked, responded]: Times,
  status: number | undefined,
  body?: Json,
): Happening => ({
  operation: one,
  client: '0@0',
  invoked,
  responded: status === undefined ? Infinity : responded,
  answer: status === undefined ? undefined : { status, headers: {}, body },
  made: [],
})

const created = (id: string, status: number | undefined): Happening => ({
  ...happening(creating, [0, 1], status, {}),
  made: [id],
})

test.for<[string, Happening, Found, 'serial' | 'none']>([
  ['what was acknowledged is there', created('a', 201), foundOf('a'), 'serial'],
  ['what was acknowledged is lost', created('a', 201), foundOf(), 'none'],
  ['what was acknowledged is there twice', created('a', 201), foundOf('a', 'b'), 'none'],
  ['what was not is there', created('a', undefined), foundOf('a'), 'serial'],
  ['what was not is not', created(`${unknownId} a`, undefined), foundOf(), 'serial'],
  ['what was not is there twice', created('a', undefined), foundOf('a', 'b'), 'none'],
])('a creation: %s', ([, one, found, kind]) => {
  expect(check(stateOf(), [one], { found }).kind).toBe(kind)
})

const parts = (answer: Json) => pageParts(pool, answer, (state) => state.live(item))

/** A page of all items, read beside a change. */
function readBeside(change: Operation['expect'], shown: readonly string[], total: number, after: Found): string {
  const body = {
    data: shown.map((id) => ({ id, attributes: stateOf(id).attributes(id) })),
    meta: { total_records: total },
  }
  const read = operation(() => ({ status: 200 }), { isRead: true, see: () => ({}), parts })
  const beside = happening(operation(change), [0, 10], 200, {})
  return check(stateOf('a', 'b'), [beside, happening(read, [0, 10], 200, body)], { found: after }).kind
}

/** As a merge does: one record leaves the list and another one comes in. */
const exchange: Operation['expect'] = (state) => ({ status: 200, body: {}, next: create(remove(state, 'a'), 'c') })
const exchanged = { ...foundOf('b', 'c'), deleted: foundOf('a').live, versions: { a: 2, b: 1, c: 1 } }

test('a page may leave out what was found for it and is gone when it is read', () => {
  expect(readBeside(exchange, ['b'], 2, exchanged)).toBe('serial')
  expect(readBeside(exchange, ['a', 'b'], 2, exchanged)).toBe('serial')
  expect(readBeside(exchange, ['b', 'c'], 2, exchanged)).toBe('serial')
})

test('a page may leave out nothing else, and show nothing of two moments', () => {
  expect(readBeside(exchange, ['c'], 2, exchanged)).toBe('none')
  expect(readBeside(exchange, ['a', 'b', 'c'], 2, exchanged)).toBe('none')
  expect(
    readBeside((state) => ({ status: 200, body: {}, next: create(state, 'c') }), ['b'], 2, foundOf('a', 'b', 'c')),
  ).toBe('none')
})

const hears = (...events: readonly (readonly [id: string, ...facts: string[]])[]): Log =>
  Map.groupBy(
    events.map(([id, ...facts], index) => ({ id, sequence: index + 1, facts })),
    ({ id }) => id,
  )

const born = (id: string) => [id, 'created', `name is "${id}"`] as const

test.for<[string, Log, 'serial' | 'none']>([
  ['tells of it once', hears(born('a')), 'serial'],
  ['is silent', hears(), 'none'],
  ['tells of it twice', hears(born('a'), born('a')), 'none'],
  ['tells of another beside it', hears(born('a'), born('b')), 'none'],
  ['tells something else of it', hears(['a', 'created', 'name is "b"']), 'none'],
])('a creation of which the log %s', ([, log, kind]) => {
  expect(check(stateOf(), [created('a', 201)], { found: foundOf('a'), log }).kind).toBe(kind)
})

test('what failed is not in the log, and what was done is there in its order', () => {
  const refused = happening(
    operation(() => ({ status: 409, codes: ['unique_violation'] })),
    [0, 10],
    409,
    {
      errors: [{ code: 'unique_violation' }],
    },
  )
  const found = foundOf('a')
  expect(check(stateOf('a'), [refused], { found, log: hears() }).kind).toBe('serial')
  expect(check(stateOf('a'), [refused], { found, log: hears(born('a')) }).kind).toBe('none')
  const removing = operation((state) =>
    state.isLive(item, 'a')
      ? { status: 200, body: {}, next: remove(state, 'a') }
      : { status: 404, codes: ['not_found'] },
  )
  const both = [created('a', 201), happening(removing, [0, 10], 200, {})]
  const gone: Found = { ...foundOf(), deleted: foundOf('a').live, versions: { a: 2 } }
  expect(check(stateOf(), both, { found: gone, log: hears(born('a'), ['a', 'deleted']) }).kind).toBe('serial')
  expect(check(stateOf(), both, { found: gone, log: hears(['a', 'deleted'], born('a')) }).kind).toBe('none')
})

test('an operation that may have had several outcomes fits by any of them, and by no other', () => {
  let made = 'one'
  const drawn = operation((state) => ({ status: 201, body: {}, next: create(state, made) }), {
    ways: () => ['one', 'two'].map((id) => () => (made = id)),
  })
  const history = [happening(drawn, [0, 1], 201, {})]
  const kindOf = (id: string) => check(empty, history, { found: foundOf(id) }).kind
  expect(['one', 'two', 'three'].map(kindOf)).toEqual(['serial', 'serial', 'none'])
})
