import type { Json } from '../harness/http.ts'
import { hostileText, inheritedNames } from './hostile-texts.ts'
import { RawJson } from './json-text.ts'
import type { Random } from '../harness/random.ts'

const numbers: readonly Json[] = [
  0,
  -1,
  1,
  2,
  0.5,
  -0.1,
  1e-7,
  0.00001,
  0.30000000000000004,
  49,
  50,
  51,
  255,
  256,
  500,
  501,
  1000,
  1001,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 32,
  -(2 ** 31),
  -(2 ** 31) - 1,
  2 ** 53 - 1,
  2 ** 53,
  -(2 ** 53),
  2 ** 63,
  2 ** 64,
  1e21,
  1e12,
  999_999_999_999.9999,
  1e308,
  -1e308,
  5e-324,
  ...[
    '-0',
    '0.0',
    '1.0',
    '1E5',
    '1e999',
    '-1e999',
    '1e-999',
    `1${'0'.repeat(1000)}`,
    `0.${'3'.repeat(1000)}`,
    '123456789012345678901234567890',
    '9007199254740993',
  ].map((text) => new RawJson(text)),
]

const own = (name: string, value: Json): Json => ({ [name]: value })

const structures: readonly Json[] = [
  null,
  true,
  false,
  [],
  {},
  [[]],
  [{}],
  [null],
  ['a', 1, null, {}],
  { items: null },
  { items: [] },
  { items: {} },
  { items: [{}] },
  { items: ['a', 1, null] },
  { items: [''] },
  { items: ['a', 'a', 'A'] },
  { data: null },
  { data: [] },
  { data: [null] },
  { text: [] },
  { text: [{}] },
  { text: [{ type: 'paragraph', content: {} }] },
  { and: [] },
  { or: [] },
  { not: null },
  { not: { not: { not: { field: 'name', op: 'Is empty' } } } },
  { field: 'name', op: 'Is', value: {} },
  { $ref: '#/$defs/Filter' },
  { length: 1e9 },
  { '': '' },
  { 'a.b': 1 },
  { '/': 1, '~': 2 },
  ...inheritedNames.flatMap((name) => [own(name, 'x'), own(name, { admin: true })]),
  new RawJson('{"a":1,"a":2}'),
  new RawJson('{"__proto__":{"a":1},"constructor":{"prototype":{}}}'),
  new RawJson('"\\ud800"'),
  new RawJson('"\\u0000"'),
]

/** Texts that the grammar of JSON forbids: the whole body must be refused for each. */
const noJson = [
  '{',
  '[1,]',
  '{"a":1,}',
  "{'a':1}",
  'undefined',
  'NaN',
  'Infinity',
  '01',
  '+1',
  '.5',
  '1.',
  '"\t"',
  '"\\x41"',
  '"abc',
  '/* */ 1',
  'True',
  '\uFEFF1',
  '{"a" 1}',
  '{a:1}',
  '1 2',
  '[1 2]',
  '\\u0031',
].map((text) => new RawJson(text))

const nested = (depth: number, open: string, close: string): RawJson =>
  new RawJson(open.repeat(depth) + close.repeat(depth))

/** Large or deep values, which cost as much to send as to refuse. */
const heavy: readonly (() => Json)[] = [
  () => nested(63, '[', ']'),
  () => nested(10_000, '[', ']'),
  () => new RawJson(`${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`),
  () => new RawJson(`${'{"not":'.repeat(2000)}{"field":"name","op":"Is empty"}${'}'.repeat(2000)}`),
  () => new RawJson(`${'[{"type":"paragraph","children":'.repeat(500)}[]${'}]'.repeat(500)}`),
  () => Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`k${index}`, index])),
  () => Array.from({ length: 5000 }, () => null),
  () => ({ items: Array.from({ length: 1001 }, (_, index) => `item ${index}`) }),
  () => Array.from({ length: 10_001 }, () => ({})),
  () => 'x'.repeat(200_000),
]

/** Any value that might be trouble. */
export const hostileValue = (random: Random): Json =>
  random.weighted<() => Json>([
    [50, () => hostileText(random)],
    [20, () => random.pick(numbers)],
    [27, () => random.pick(structures)],
    [2, () => random.pick(noJson)],
    [1, () => random.pick(heavy)()],
  ])()
