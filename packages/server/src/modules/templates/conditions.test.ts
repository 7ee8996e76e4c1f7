import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Change, NodeFilter } from '@kontor/contract'
import { judge, type Seen } from './conditions.ts'

const when = { now: Date.UTC(2026, 5, 15), zone: 'utc' }
const holds = (filters: NodeFilter[], seen: Seen): boolean => judge(filters, seen).holds
const fields = ['stage', 'amount', 'tags', 'constructor'] as const
const values = fc.constantFrom('Won', 'Lost', 'won', null, 5, true)
const data = fc.record({ stage: values, amount: values, tags: fc.array(values, { maxLength: 2 }) })
const diffs = fc.uniqueArray(
  fc
    .record({ path: fc.constantFrom(...fields).map((field) => [field]), val: values, oldVal: values })
    .map((change): Change => ({ op: 'update', ...change })),
  { selector: ({ path }) => path[0], maxLength: 3 },
)
const prefix = fc.constantFrom('state.', 'trigger.state.')
const filters = fc.array(
  fc.record({
    field: fc.tuple(prefix, fc.constantFrom(...fields)).map(([begin, field]) => `${begin}event.object.data.${field}`),
    condition: fc.record({
      operator: fc.constantFrom(
        'Is',
        'Is not',
        'Is empty',
        'is_null',
        'eq',
        'Changed',
        'Changed from',
        'Changed to',
        'No such',
      ),
      value: values,
    }),
  }),
  { maxLength: 3 },
)

const same = (one: unknown, other: unknown): boolean =>
  one === null || other === null
    ? one === other
    : JSON.stringify(one).toLowerCase() === JSON.stringify(other).toLowerCase()

/** Evaluates one filter, plainly. */
function says(
  { field, condition: { operator, value } }: NodeFilter,
  record: Record<string, unknown>,
  diff: readonly Change[],
): boolean {
  const name = field.split('.').at(-1)!
  const actual = Object.hasOwn(record, name) ? record[name] : null
  const parts = Array.isArray(actual) ? actual : actual === null ? [] : [actual]
  const change = diff.find(({ path }) => path[0] === name)
  const is: boolean = value === null ? parts.length === 0 : parts.some((part) => same(part, value))
  switch (operator) {
    case 'Is':
    case 'eq':
      return is
    case 'Is not':
      return !is
    case 'Is empty':
    case 'is_null':
      return parts.length === 0
    case 'Changed':
      return change !== undefined
    case 'Changed from':
      return change !== undefined && same(change.oldVal, value)
    case 'Changed to':
      return change !== undefined && same(change.val, value)
    default:
      return false
  }
}

test('all filters must hold, those of values and those of changes', () => {
  fc.assert(
    fc.property(filters, data, diffs, (asked, record, diff) => {
      const scope = { trigger: { state: { event: { object: { data: record, diff } } } } }
      expect(holds(asked, { scope, diff, when })).toBe(asked.every((filter) => says(filter, record, diff)))
    }),
    { numRuns: 1000 },
  )
})

test('a filter may look at the output of a block', () => {
  const scope = { find: { state: { output: { total: 3 } } } }
  const filter = { field: 'find.state.output.total', condition: { operator: 'gt', value: 2 } }
  expect(holds([filter], { scope, diff: [], when })).toBe(true)
  expect(holds([filter], { scope: {}, diff: [], when })).toBe(false)
})

test('a change of a field is one of what is below it too, and no change of another', () => {
  const diff: Change[] = [{ op: 'update', path: ['name'], val: { full_name: 'Grace Hopper' }, oldVal: null }]
  const changed = (field: string, operator = 'Changed', value: string | null = null) =>
    holds([{ field, condition: { operator, value } }], { scope: {}, diff, when })
  expect(changed('state.event.object.data.name')).toBe(true)
  expect(changed('state.event.object.data.name.last_name')).toBe(true)
  expect(changed('state.event.object.data.name', 'Changed to', 'grace hopper')).toBe(true)
  expect(changed('state.event.object.data.name', 'Changed from', null)).toBe(true)
  expect(changed('state.event.object.data.names')).toBe(false)
  expect(changed('find.state.output.name')).toBe(false)
})

const of = (field: string): string => `{{trigger.state.event.object.data.${field}}}`

describe('a variable as the value of a condition', () => {
  const record = {
    amount: 5,
    limit: 5,
    text: 'a,b',
    tags: { items: ['a', 'b'] },
    name: { full_name: 'Ada' },
    none: null,
  }
  const scope = { trigger: { state: { event: { object: { data: { ...record, empty: { items: [] }, no: '' } } } } } }
  const asked = (field: string, operator: string, value: NodeFilter['condition']['value']) =>
    judge([{ field: `state.event.object.data.${field}`, condition: { operator, value } }], { scope, diff: [], when })

  test.for<[string, string, string]>([
    ['amount', 'Is', of('limit')],
    ['amount', 'Less than or equal', of('limit')],
    ['text', 'Is', of('text')],
    ['text', 'One of', of('text')],
    ['tags', 'Contains', of('tags')],
    ['name', 'Is', of('name')],
    ['text', 'Is', 'a,{{trigger.state.event.object.data.none}}b'],
  ])('%s %s %s', ([field, operator, value]) => {
    expect(asked(field, operator, value)).toEqual({ holds: true, unresolved: [] })
  })

  test.for(['none', 'empty', 'no', 'unknown'])('holds for nothing where it has no value: %s', (field) => {
    for (const operator of ['Is', 'Is not', 'One of', 'Not one of', 'Contains', 'Does not contain', 'Less than'])
      for (const left of ['amount', 'none'])
        expect(asked(left, operator, of(field))).toEqual({
          holds: false,
          unresolved: [`trigger.state.event.object.data.${field}`],
        })
    expect(asked('amount', 'One of', ['5', of(field)])).toMatchObject({ holds: false })
  })

  test('is compared with what a change was from and to', () => {
    const diff: Change[] = [{ op: 'update', path: ['amount'], val: 5, oldVal: 4 }]
    const changedTo = (value: string) =>
      judge([{ field: 'state.event.object.data.amount', condition: { operator: 'Changed to', value } }], {
        scope,
        diff,
        when,
      })
    expect(changedTo(of('limit'))).toEqual({ holds: true, unresolved: [] })
    expect(changedTo(of('none'))).toMatchObject({ holds: false })
  })

  test('is literal neither in null nor in what asks for emptiness', () => {
    const said = ['Is', 'Is empty', 'Is not'].map((operator) => asked('none', operator, null).holds)
    expect(said).toEqual([true, true, false])
  })
})

test('a default takes the place of what is empty: null, no text, and lists without items', () => {
  const scope = {
    trigger: { state: { event: { data: { none: null, text: '', list: [], items: { items: [] }, no: false } } } },
  }
  const is = (field: string) =>
    holds([{ field: `state.event.data.${field} | default:"x"`, condition: { operator: 'Is', value: 'x' } }], {
      scope,
      diff: [],
      when,
    })
  expect(['none', 'text', 'list', 'items', 'missing', 'no'].map(is)).toEqual([true, true, true, true, true, false])
})

test('a condition whose sides are too large to be compared holds for nothing', () => {
  const [many, few] = [Array.from({ length: 100_000 }, (_, index) => `${index}x`), ['1x', '2x']]
  const scope = { trigger: { state: { event: { data: { many, few, long: 'x'.repeat(1 << 20) } } } } }
  const asked = (field: string, operator: string, value: NodeFilter['condition']['value']) =>
    holds([{ field: `state.event.data.${field}`, condition: { operator, value } }], { scope, diff: [], when })
  const all = '{{trigger.state.event.data.many}}'
  for (const operator of ['Is', 'Is not', 'Contains', 'Does not contain'])
    expect(asked('many', operator, all)).toBe(false)
  expect(asked('few', 'Is', '{{trigger.state.event.data.few}}')).toBe(true)
  expect(asked('many', 'Is', '99999x')).toBe(true)
  expect(asked('long', 'Contains', 'xx')).toBe(true)
})

const naming = (times: number): NodeFilter => ({
  field: 'state.event.data.short',
  condition: { operator: 'Does not contain', value: '{{trigger.state.event.data.long}}'.repeat(times) },
})

test('conditions that name a large text too often are false, and name what was not filled in', () => {
  const scope = { trigger: { state: { event: { data: { long: 'x'.repeat(100_000), short: 'y' } } } } }
  const seen = { scope, diff: [], when }
  expect(judge([naming(10)], seen)).toEqual({ holds: true, unresolved: [] })
  expect(judge([naming(60)], seen).holds).toBe(false)
  expect(judge([naming(60)], seen).unresolved).toHaveLength(60)
  const ten = judge(
    Array.from({ length: 10 }, () => naming(10)),
    seen,
  )
  expect(ten.holds).toBe(false)
  expect(ten.unresolved).not.toEqual([])
})

test('conditions that compare too much together are false', () => {
  const scope = { trigger: { state: { event: { data: { long: 'x'.repeat(900_000) } } } } }
  const filter: NodeFilter = { field: 'state.event.data.long', condition: { operator: 'Contains', value: 'x' } }
  const seen = { scope, diff: [], when }
  expect(judge([filter, filter, filter], seen).holds).toBe(true)
  expect(
    judge(
      Array.from({ length: 6 }, () => filter),
      seen,
    ).holds,
  ).toBe(false)
})
