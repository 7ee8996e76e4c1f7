import fc from 'fast-check'
import { expect, test } from 'vitest'
import { lookUp } from './path.ts'
import { fill, fillInput, FilledTooMuch, soleVariable, variablesIn } from './template.ts'

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

type Segment = { readonly text: string } | { readonly path: string; readonly spaces: readonly [string, string] }
const spaces = fc.constantFrom('', ' ', '\n\t')
const plain = fc.oneof(
  fc.constantFrom('', 'Hello ', '{', '}', '}}', '{ {a}}', '{{}}', '{{ }}', '{{a b}}', '$&', '$$', "$'"),
  fc.string(),
)
const segments = fc.array(
  fc.oneof(
    plain
      .filter((text) => !text.includes('{{') || !/\{\{\s*[^{}\s]+\s*\}\}/.test(text))
      .map((text): Segment => ({ text })),
    fc.record({ path: paths, spaces: fc.tuple(spaces, spaces) }),
  ),
  { maxLength: 6 },
)

const spelled = (segment: Segment): string =>
  'text' in segment ? segment.text : `{{${segment.spaces[0]}${segment.path}${segment.spaces[1]}}}`

/** What becomes of a text, segment by segment. */
function expected(parts: readonly Segment[], scope: Record<string, unknown>): unknown {
  const filled = parts.filter((part) => !('text' in part && part.text === ''))
  const [first] = filled
  if (filled.length === 1 && first !== undefined && 'path' in first) return lookUp(scope, first.path)
  return filled
    .map((part) => {
      if ('text' in part) return part.text
      const value = lookUp(scope, part.path)
      return value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value)
    })
    .join('')
}

/** Texts side by side may make a variable that neither of them is. */
const isClear = (parts: readonly Segment[]): boolean =>
  [
    ...parts
      .map(spelled)
      .join('')
      .matchAll(/\{\{\s*[^{}\s]+\s*\}\}/g),
  ].length === parts.filter((part) => 'path' in part).length

test('a text is filled in, variable by variable, and what is filled in is not read again', () => {
  fc.assert(
    fc.property(segments.filter(isClear), scopes, (parts, scope) => {
      expect(fill(parts.map(spelled).join(''), scope)).toEqual(expected(parts, scope))
    }),
    { numRuns: 500 },
  )
})

test('a text that is one variable keeps the type of its value', () => {
  fc.assert(
    fc.property(paths, spaces, scopes, (path, space, scope) => {
      const text = `{{${space}${path}${space}}}`
      expect(soleVariable(text)).toBe(path)
      expect(fill(text, scope)).toBe(lookUp(scope, path))
      expect(typeof fill(`${text} `, scope)).toBe('string')
    }),
  )
})

test('every variable of a value is found, with where it stands', () => {
  fc.assert(
    fc.property(fc.array(segments.filter(isClear), { maxLength: 3 }), (texts) => {
      const all = texts.map((parts) => parts.map(spelled).join(''))
      const found = variablesIn({ list: all, other: 1 })
      const wanted = texts.flatMap((parts, index) =>
        parts.flatMap((part) => ('path' in part ? [{ path: part.path, at: ['list', index] }] : [])),
      )
      expect(found).toEqual(wanted)
    }),
  )
})

test('what holds no variable stays as it is', () => {
  const still = json.filter((value) => variablesIn(value).length === 0)
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
  expect(fillInput({ a: '{{text}}', b: ' {{list}}' }, scope, { charactersMax: 17 })).toEqual({
    a: scope.text,
    b: ' [1,2,3]',
  })
  for (const input of [{ a: '{{text}}{{text}}' }, { a: '{{text}}', b: '{{text}}' }, { a: ['{{text}}', '{{list}}'] }])
    expect(() => fillInput(input, scope, { charactersMax: 16 })).toThrow(FilledTooMuch)
})

test('what variables put into HTML is text, unless one is the whole of it', () => {
  const scope = { a: { b: '<i>"&\'' } }
  const options = { charactersMax: 100, markup: ['html'] }
  expect(fillInput({ html: '<p>{{a.b}}</p>', text: '<{{a.b}}>' }, scope, options)).toEqual({
    html: '<p>&lt;i&gt;&quot;&amp;&#39;</p>',
    text: '<<i>"&\'>',
  })
  expect(fillInput({ html: '{{a.b}}' }, scope, options)).toEqual({ html: '<i>"&\'' })
})
