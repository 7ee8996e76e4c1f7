import fc from 'fast-check'
import { expect, test } from 'vitest'
import { lookUp } from './path.ts'
import { fillInput, FilledTooMuch, templatesIn, variablesIn, withPaths } from './template.ts'
import { TemplateFault } from './variable-filters.ts'
import { soleVariable } from './variable.ts'

const fill = (value: unknown, scope: Record<string, unknown>, zone = 'utc'): unknown =>
  fillInput({ value }, scope, { charactersMax: Infinity, zone })['value']

const names = fc.constantFrom('trigger', 'find', 'a', 'b-1', 'items', '0', '1', '__proto__', 'constructor', 'length')
/** JSON whose members have the names that paths ask for, and whose texts look like templates. */
const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'value' },
    fc.constantFrom(null, true, 0, 1.5, '', 'text', '{{a}}', '$&', '$1', '{{'),
    fc.array(tie('value'), { maxLength: 3, depthIdentifier: 'value' }),
    fc
      .uniqueArray(fc.tuple(names, tie('value')), {
        selector: ([name]) => name,
        maxLength: 3,
        depthIdentifier: 'value',
      })
      .map((entries) => Object.fromEntries(entries)),
  ),
})).value
const scopes = fc
  .uniqueArray(fc.tuple(names, json), { selector: ([name]) => name, maxLength: 4 })
  .map((entries): Record<string, unknown> => Object.fromEntries(entries))
const paths = fc.array(names, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('.'))

/** Every path of a value with what is there, as JSON itself has it. */
function leaves(value: unknown, at: string[] = []): [path: string, value: unknown][] {
  const members = typeof value === 'object' && value !== null ? Object.entries(value) : []
  return [
    ...(at.length > 0 ? [[at.join('.'), value] as [string, unknown]] : []),
    ...members.flatMap(([name, member]) => leaves(member, [...at, name])),
  ]
}

test('a path leads to what is there, and anywhere else to null', () => {
  fc.assert(
    fc.property(scopes, fc.array(paths, { minLength: 1, maxLength: 20 }), (scope, asked) => {
      const there = new Map(leaves(scope))
      for (const [path, value] of there) expect(lookUp(scope, path)).toBe(value)
      for (const path of asked) expect(lookUp(scope, path)).toBe(there.get(path) ?? null)
    }),
  )
})

test.each([
  'constructor',
  'a.constructor',
  'a.__proto__',
  'list.length',
  'list.map',
  'list.-1',
  'list.01x',
  'text.0',
  'text.length',
  '',
])('the path %j leads to nothing', (path) => {
  expect(lookUp({ a: {}, list: [1], text: 'x' }, path)).toBe(null)
})

test.for([
  ['list[1].name', 'second'],
  ['list.1.name', 'second'],
  ['["list"][1]["name"]', 'second'],
  ['pairs[1][0]', 3],
  ['item[0]', 'of a form'],
  ['item[1]', null],
  ['list[2]', null],
  ['list[x]', null],
])('an index is written as a name or in brackets: %s', ([path, value]) => {
  const list = [{ name: 'first' }, { name: 'second' }]
  expect(lookUp({ list, pairs: [[1], [3]], 'item[0]': 'of a form', item: ['not this'] }, String(path))).toBe(value)
})

test('headers are kept in lower case and found in any, as nothing else is', () => {
  const headers = { 'x-from': 'desk', 'X-Own': 'own' }
  const scope = {
    trigger: { state: { event: { data: { headers, body: { headers } } } } },
    Call: { state: { output: { headers } } },
  }
  for (const path of ['trigger.state.event.data.headers.X-FROM', 'Call.state.output.headers.X-From'])
    expect(lookUp(scope, path)).toBe('desk')
  expect(lookUp(scope, 'Call.state.output.headers.X-Own')).toBe('own')
  for (const path of [
    'trigger.state.event.data.body.headers.X-From',
    'trigger.state.event.data.HEADERS.x-from',
    'call.state.output.headers.x-from',
  ])
    expect(lookUp(scope, path)).toBe(null)
})

type ParsedVariable = {
  readonly path: string
  readonly spaces: readonly [string, string]
  readonly fallback: string | null
}
type Segment = { readonly text: string } | ParsedVariable
const spaces = fc.constantFrom('', ' ', '\n\t')
const fallbacks = fc.constantFrom(null, null, '"there"', '""', '5', 'true', '"a\\"b {}"')
const plain = fc.oneof(fc.constantFrom('', ' ', 'Hello ', '{', '}', '}}', '{ {a}}', '$&', '$$', "$'"), fc.string())
const segments = fc.array(
  fc.oneof(
    plain.filter((text) => !text.includes('{{')).map((text): Segment => ({ text })),
    fc.record({ path: paths, spaces: fc.tuple(spaces, spaces), fallback: fallbacks }),
  ),
  { maxLength: 6 },
)

function spelled(segment: Segment): string {
  if ('text' in segment) return segment.text
  const { path, spaces: around, fallback } = segment
  return `{{${around[0]}${path}${around[1]}${fallback === null ? '' : `|${around[1]}default:${around[0]}${fallback}`}}}`
}

const isEmpty = (value: unknown): boolean =>
  ['null', '""', '[]'].includes(JSON.stringify(value)) || /^\{.*"items":\[\]/.test(JSON.stringify(value))

function valueOf({ path, fallback }: ParsedVariable, scope: Record<string, unknown>): unknown {
  const value = lookUp(scope, path)
  return fallback !== null && isEmpty(value) ? JSON.parse(fallback) : value
}

/** Renders a text, segment by segment. */
function expected(parts: readonly Segment[], scope: Record<string, unknown>): unknown {
  const filled = parts.filter((part) => !('text' in part && part.text.trim() === ''))
  const [first] = filled
  if (filled.length === 1 && first !== undefined && 'path' in first) return valueOf(first, scope)
  return parts
    .map((part) => {
      if ('text' in part) return part.text
      const value = valueOf(part, scope)
      return value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value)
    })
    .join('')
}

/** Texts side by side may make a variable, or a literal brace, that neither of them is. */
function isClear(parts: readonly Segment[]): boolean {
  const text = parts.map(spelled).join('')
  const { variables, malformed } = templatesIn(text)
  const isAsMeant = malformed.length === 0 && variables.length === parts.filter((part) => 'path' in part).length
  return !text.includes('\\{{') && isAsMeant
}

test('a text is filled in, variable by variable, and what is filled in is not read again', () => {
  fc.assert(
    fc.property(segments.filter(isClear), scopes, (parts, scope) => {
      expect(fill(parts.map(spelled).join(''), scope)).toEqual(expected(parts, scope))
    }),
    { numRuns: 500 },
  )
})

test('a text that is one variable keeps the type of its value, with white space around it too', () => {
  fc.assert(
    fc.property(paths, spaces, scopes, (path, space, scope) => {
      const text = `{{${space}${path}${space}}}`
      expect(soleVariable(text)?.path).toBe(path)
      for (const around of [text, ` ${text}`, `${text}\n`]) expect(fill(around, scope)).toBe(lookUp(scope, path))
      expect(typeof fill(`${text}.`, scope)).toBe('string')
    }),
  )
})

test.each([
  ['Hello {{name | default:"there"}}', 'Hello there'],
  ['Hello {{ name|default: "th\\"}}ere" }}', 'Hello th"}}ere'],
  ['{{name | default:5}}', 5],
  ['{{list | default:"none"}}', ['x']],
  ['{{empty | default:"-"}}.', '-.'],
  ['{{no | default:false}}', false],
  // A backslash takes the meaning from two braces, unless one before it takes its own.
  ['\\{{list}} is {{list}}', '{{list}} is ["x"]'],
  ['\\{{{list}}', '{{{list}}'],
  ['C:\\\\{{text}}', 'C:\\\\{{list}}'],
  // A value that is filled in is not parsed as a template again.
  ['{{text}}', '{{list}}'],
  ['\\{{a b}}', '{{a b}}'],
])('%j becomes %j', (text, wanted) => {
  expect(fill(text, { list: ['x'], empty: '', no: null, text: '{{list}}' })).toEqual(wanted)
})

test.each([
  ['{{list | upper}}', 'unknown filter "upper"'],
  ['{{list|}}', 'does not end'],
  ['{{list | default:there}}', 'in double quotes: there'],
  ['{{list | default}}', 'needs a value'],
  ['{{list | number:1}}', 'does not accept'],
  ['{{list | date}}', 'needs a pattern'],
  ['{{list | date:""}}', 'needs a pattern'],
  ['{{list | date:"YYYY-MM-DD"}}', 'has "YYYY" in its pattern, which is no part of a date; write yyyy'],
  ['{{list | date:"HH:mm Uhr"}}', 'has "U" in its pattern, which is no part of a date; put words in single quotes'],
  ['{{a b}}', 'does not end'],
  ['{{a..b}}', 'does not end'],
  ['{{}}', 'no path'],
  ['{{ }}', 'no path'],
  ['{{list', 'does not end'],
  ['{{{list}', 'does not end'],
  ['{{list["a}}', 'does not end'],
  [`{{${'a.'.repeat(80)}a}}`, 'more than 70 names'],
  [`{{${'a'.repeat(600)}}}`, 'more than 500 characters'],
  [`{{a${'|list'.repeat(9)}}}`, 'more than 8 filters'],
])('what begins like a variable and is none is told, and is not filled in: %s', (text, why) => {
  for (const around of [text, `Dear ${text}`]) {
    const { variables, malformed } = templatesIn([around])
    expect(variables).toEqual([])
    expect(malformed).toMatchObject([{ at: [0], fault: expect.stringContaining(why) }])
    expect(() => fill(around, { list: [1], a: 1 })).toThrow(TemplateFault)
  }
})

test('a variable behind one that is malformed is found too', () => {
  const { variables, malformed } = templatesIn('{{a b {{c}} {{{{d}}')
  expect([variables.map(({ path }) => path), malformed.length]).toEqual([['c', 'd'], 1])
})

test.each([
  ['{{form["First Name"]}}', 'Ada'],
  ['Dear {{ form["First Name"] }}.', 'Dear Ada.'],
  ['{{form["a.b"]["}}"].c}}', 1],
  ['{{form["say \\"hi\\""] | default:"none"}}', 'none'],
  ['{{form.tags[]}}', 'x'],
])('names with other characters are written in brackets: %s', (text, wanted) => {
  const form = { 'First Name': 'Ada', 'a.b': { '}}': { c: 1 } }, 'tags[]': 'x' }
  expect(fill(text, { form })).toEqual(wanted)
})

test.each([
  ['{{n | number}}', { n: ' 4200.50 ' }, 4200.5],
  ['{{n | number}}', { n: '1e3' }, 1000],
  ['{{n | number}}', { n: 7 }, 7],
  ['{{n | number}}', { n: '' }, null],
  ['{{n | number | default:0}}', {}, 0],
  ['{{l | list}}', { l: 'one' }, ['one']],
  ['{{l | list}}', { l: ['one'] }, ['one']],
  ['{{l | list}}', { l: { items: ['a', 'b'] } }, ['a', 'b']],
  ['{{l | list}}', {}, []],
  ['{{t | date:"d MMMM yyyy, HH:mm"}}', { t: '2026-07-01T22:30:00.000Z' }, '2 July 2026, 00:30'],
  ['On {{t | date:"d MMMM yyyy"}}', { t: '2026-07-01' }, 'On 1 July 2026'],
  ['{{t | date:"HH:mm"}}', { t: '2026-07-01T09:00' }, '09:00'],
  [`{{t | date:"EEE d 'of' MMM yy, h:mm a ZZ"}}`, { t: '2026-07-01T09:00' }, 'Wed 1 of Jul 26, 9:00 AM +02:00'],
  ['{{t | date:"HH:mm"}}', { t: '2026-07-01T09:00+0900' }, '02:00'],
  ['{{t | date:"d MMMM yyyy" | default:"some day"}}', { t: null }, 'some day'],
])('a filter fits a value: %s of %j is %j', (text, scope, wanted) => {
  expect(fill(text, scope, 'Europe/Berlin')).toEqual(wanted)
})

test.each([
  ['{{v | number}}', '12 EUR', 'not a number'],
  ['{{v | number}}', '9007199254740993', 'exactly'],
  ['{{v | number}}', '0.10000000000000000001', 'exactly'],
  ['{{v | date:"HH:mm"}}', 'soon', 'not a date'],
  ['{{v | date:"HH:mm"}}', '2026-02-30', 'not a date'],
])('a filter that cannot take a value fails, and says of which variable: %s of %j', (text, v, why) => {
  expect(() => fill(text, { v })).toThrow(new RegExp(`${text.replaceAll(/[{}|]/g, '\\$&')}.*${why}`))
})

test('what is missing in a sparse member is left out, and what is null is not', () => {
  const attributes = {
    gone: '{{no.where}}',
    none: '{{a.none}}',
    name: { first_name: '{{no.where}}', last_name: '{{a.last}}' },
    all: { items: ['{{no.where}}'] },
    some: { items: ['{{no.where}}', '{{a.none}}', '{{a.last}}'] },
    empty: { items: [] },
    fallback: '{{no.where | default:"x"}}',
    words: 'Of {{no.where}}.',
  }
  const scope = { a: { none: null, last: 'Lovelace' } }
  expect(fillInput({ attributes }, scope, { charactersMax: 100, sparse: ['attributes'] })['attributes']).toEqual({
    none: null,
    name: { last_name: 'Lovelace' },
    some: { items: ['Lovelace'] },
    empty: { items: [] },
    fallback: 'x',
    words: 'Of .',
  })
})

const accepted = (at: readonly (string | number)[]) =>
  ({
    text: new Set(['string']),
    open: new Set(['string', 'null']),
    count: new Set(['number']),
    record: new Set(['string', 'object']),
    list: new Set(['array']),
  })[String(at[0])]

test('a variable alone becomes what its place accepts', () => {
  const scope = { five: 5, numeral: '5', none: null, object: { a: [1] }, text: 'x' }
  const as = (place: string, name: string) =>
    fillInput({ [place]: `{{${name}}}` }, scope, { charactersMax: 1000, accepted })[place]
  expect(['five', 'none', 'object', 'missing'].map((name) => as('text', name))).toEqual(['5', '', '{"a":[1]}', ''])
  expect(['five', 'none'].map((name) => as('open', name))).toEqual(['5', null])
  expect(['numeral', 'text', 'none'].map((name) => as('count', name))).toEqual([5, 'x', null])
  expect(['five', 'object', 'none'].map((name) => as('list', name))).toEqual([[5], [{ a: [1] }], null])
  expect(['five', 'text', 'object', 'none'].map((name) => as('record', name))).toEqual(['5', 'x', { a: [1] }, null])
  expect(as('any', 'five')).toBe(5)
})

test('paths are replaced where they stand, and nothing else', () => {
  const text = 'a.b {{a.b}} \\{{a.b}} {{ a.b | default:"a.b" }} {{{a.b}}'
  expect(withPaths(text, () => 'c["d e"]')).toBe(
    'a.b {{c["d e"]}} \\{{a.b}} {{ c["d e"] | default:"a.b" }} {{{c["d e"]}}',
  )
})

test('a long text of braces, quotes and backslashes is read in one pass', () => {
  for (const unit of [
    '{{',
    '{',
    '{{a',
    '{{a["',
    '{{a|default:"',
    '\\{{',
    '{{a|default:"\\',
    '{{a | list',
    '{{ ',
    '["',
    '{{a[',
    '{{a.',
  ])
    expect(templatesIn(unit.repeat((1 << 17) / unit.length)).variables).toEqual([])
})

test('every variable of a value is found, with where it stands', () => {
  fc.assert(
    fc.property(fc.array(segments.filter(isClear), { maxLength: 3 }), (texts) => {
      const all = texts.map((parts) => parts.map(spelled).join(''))
      const found = variablesIn({ list: all, other: 1 })
      const wanted = texts.flatMap((parts, index) =>
        parts.flatMap((part) =>
          'path' in part ? [expect.objectContaining({ path: part.path, at: ['list', index] })] : [],
        ),
      )
      expect(found).toEqual(wanted)
    }),
  )
})

test('what holds no variable stays as it is', () => {
  const still = json.filter((value) => !JSON.stringify(value).includes('{{'))
  fc.assert(
    fc.property(still, scopes, (value, scope) => {
      expect(fill(value, scope)).toEqual(value)
    }),
  )
})

test('members named like those of prototypes are filled in as any', () => {
  const filled = fill(JSON.parse('{"__proto__":"{{a}}","constructor":"{{a}}"}'), { a: 1 })
  expect(JSON.stringify(filled)).toBe('{"__proto__":1,"constructor":1}')
  expect(Object.getPrototypeOf(filled)).toBe(Object.prototype)
})

test('members that a plugin takes verbatim stay as they are', () => {
  const input = { code: '{{a}}', input: { n: '{{a}}' } }
  expect(fillInput(input, { a: 1 }, { verbatim: ['code'], charactersMax: 10 })).toEqual({
    code: '{{a}}',
    input: { n: 1 },
  })
})

test('variables fill in no more than the budget allows, whatever they name', () => {
  const scope = { text: 'x'.repeat(10), list: [1, 2, 3] }
  expect(fillInput({ a: '{{text}}', b: '- {{list}}' }, scope, { charactersMax: 17 })).toEqual({
    a: scope.text,
    b: '- [1,2,3]',
  })
  for (const input of [{ a: '{{text}}{{text}}' }, { a: '{{text}}', b: '{{text}}' }, { a: ['{{text}}', '{{list}}'] }])
    expect(() => fillInput(input, scope, { charactersMax: 16 })).toThrow(FilledTooMuch)
})
