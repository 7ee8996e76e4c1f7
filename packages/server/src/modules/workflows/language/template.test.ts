import fc from 'fast-check'
import { expect, test } from 'vitest'
import { lookUp } from './path.ts'
import { fill, fillInput, FilledTooMuch, isJsonTemplate, soleVariable, variablesIn } from './template.ts'
import type { Syntax } from './syntax.ts'

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

type Named = { readonly path: string; readonly spaces: readonly [string, string]; readonly fallback: string | null }
type Segment = { readonly text: string } | Named
const spaces = fc.constantFrom('', ' ', '\n\t')
const fallbacks = fc.constantFrom(null, null, '"there"', '""', '5', 'true', '"a\\"b {}"')
const plain = fc.oneof(
  fc.constantFrom('', ' ', 'Hello ', '{', '}', '}}', '{ {a}}', '{{}}', '{{ }}', '{{a b}}', '$&', '$$', "$'"),
  fc.string(),
)
const variable = /\{\{\s*[^{}\s|]+\s*(\|.*?)?\}\}/gs
const segments = fc.array(
  fc.oneof(
    plain.filter((text) => !text.includes('{{') || text.search(variable) === -1).map((text): Segment => ({ text })),
    fc.record({ path: paths, spaces: fc.tuple(spaces, spaces), fallback: fallbacks }),
  ),
  { maxLength: 6 },
)

function spelled(segment: Segment): string {
  if ('text' in segment) return segment.text
  const { path, spaces: around, fallback } = segment
  return `{{${around[0]}${path}${around[1]}${fallback === null ? '' : `|${around[1]}default:${around[0]}${fallback}`}}}`
}

function valueOf({ path, fallback }: Named, scope: Record<string, unknown>): unknown {
  const value = lookUp(scope, path)
  return fallback !== null && (value === null || value === '') ? JSON.parse(fallback) : value
}

/** What becomes of a text, segment by segment. */
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
  return !text.includes('\\{{') && [...text.matchAll(variable)].length === parts.filter((part) => 'path' in part).length
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
      expect(soleVariable(text)).toBe(path)
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
  // What is filled in is not read again.
  ['{{text}}', '{{list}}'],
  // There is no such filter, and this is no JSON.
  ['a{{list | upper}}', 'a'],
  ['a{{list | default:there}}', 'a'],
])('%j becomes %j', (text, wanted) => {
  expect(fill(text, { list: ['x'], empty: '', no: null, text: '{{list}}' })).toEqual(wanted)
})

test.each(['{{list | upper}}', '{{list|}}', '{{list | default:there}}', '{{list | default}}'])(
  'a variable that cannot be read as one leads nowhere, so that its workflow is refused: %s',
  (text) => {
    expect(variablesIn(text)).toEqual([{ path: text, at: [] }])
  },
)

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
  expect(fillInput({ a: '{{text}}', b: '- {{list}}' }, scope, { charactersMax: 17 })).toEqual({
    a: scope.text,
    b: '- [1,2,3]',
  })
  for (const input of [{ a: '{{text}}{{text}}' }, { a: '{{text}}', b: '{{text}}' }, { a: ['{{text}}', '{{list}}'] }])
    expect(() => fillInput(input, scope, { charactersMax: 16 })).toThrow(FilledTooMuch)
})

/** Fills in one text that is something more than text. */
const fillAs = (syntax: Syntax, text: string, scope: Record<string, unknown>) =>
  fillInput({ text }, scope, { charactersMax: Infinity, syntaxes: { text: syntax } })['text']

const inText = (value: unknown): string =>
  value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value)

test('what variables put into HTML is text, unless one is the whole of it', () => {
  const scope = { a: { b: '<i>"&\'' } }
  expect(fillAs('html', '<p>{{a.b}}</p>', scope)).toBe('<p>&lt;i&gt;&quot;&amp;&#39;</p>')
  expect(fillAs('text', '<{{a.b}}>', scope)).toBe('<<i>"&\'>')
  expect(fillAs('html', '{{a.b}}', scope)).toBe('<i>"&\'')
})

test('in a text of JSON a value is JSON, and escaped within a string', () => {
  const template = '{"a\\"": {{a}}, "b": "{{a}}", "c": ["\\\\{{a}} \\"-{{a}}", {{a}}], "d": "\\{{a}}"}'
  fc.assert(
    fc.property(json, (a) => {
      const text = inText(a)
      expect(JSON.parse(String(fillAs('json', template, { a })))).toEqual({
        'a"': a,
        b: text,
        c: [`\\${text} "-${text}`, a],
        d: '{{a}}',
      })
    }),
  )
  expect(isJsonTemplate(template)).toBe(true)
  expect(fillAs('json', ' {{a}}\n', { a: [1] })).toEqual([1])
  for (const text of ['{{a}}', 'Dear {{a}}', '{{a}} {{b}}', '5', '{"a": {{a}', '"{{a}}"', '[{{a}}](x)'])
    expect(isJsonTemplate(text)).toBe(false)
})

test('a value stays where it stands in a URL, and no URL but one that it begins says where it leads', () => {
  fc.assert(
    fc.property(json, (a) => {
      const url = new URL(String(fillAs('url', 'https://example.com/x-{{a}}/y?q={{a}}&r=1#z-{{a}}', { a })))
      const text = inText(a)
      expect([url.host, url.pathname.split('/').map(decodeURIComponent)]).toEqual([
        'example.com',
        ['', `x-${text}`, 'y'],
      ])
      expect([...url.searchParams]).toEqual([
        ['q', text],
        ['r', '1'],
      ])
      expect(decodeURIComponent(url.hash)).toBe(`#z-${text}`)
    }),
  )
  const scope = { base: 'https://example.com/a', evil: 'evil.example/' }
  expect(fillAs('url', ' {{base}}/{{evil}}', scope)).toBe(' https://example.com/a/evil.example%2F')
  expect(fillAs('url', '{{base}}', scope)).toBe(scope.base)
  expect(() => new URL(String(fillAs('url', 'https://{{evil}}.example.com/', scope)))).toThrow('Invalid URL')
  expect(fillAs('form', '{{evil}}&a={{base}}', scope)).toBe('evil.example%2F&a=https%3A%2F%2Fexample.com%2Fa')
})
