import type { Json } from '../harness/http.ts'
import { RawJson } from './json-text.ts'
import type { Random } from './random.ts'

/** Names that every object has without being asked: a look-up that trusts `in` or `[]` finds them. */
export const inheritedNames = ['__proto__', 'constructor', 'prototype', 'toString', 'valueOf', 'hasOwnProperty', 'isPrototypeOf', '__defineGetter__', '__lookupSetter__', 'toJSON', 'then', 'length'] as const

const encodings = ['', ' ', '\t\n', '\0', 'a\0b', '\uD800', 'x\uDC00y', '\uD83D', '\uFEFF', '\uFFFE\uFFFF', '\u2028\u2029', '\u202Eabc', '\u200B', 'İ', 'ı', 'ß', 'ŉ', 'ﬀ', 'Å', 'A\u030A', 'q\u0307\u0323', 'z\u0300'.repeat(200), '١٢٣', '１２', '🦊', '👩‍👩‍👧‍👦', '\u0001', '\u007F', '\u0085', '\r\nX-Injected: 1']

const syntax = ['%', '_', '%_%', '\\', '\\\\', '*', '**', '*a*', '%00', '%zz', '%25', '%2525', '%2e%2e%2f', '..', '.', '../../etc/passwd', '/', '//', '~', '~0', '~1', '#', '?', '&', '=', ';', ',', ',,', 'a,b', '[', ']', '[]', '[0]', '{', '}', '{}', '{a,b}', '$', '$.a[*]', '$$', '->>', '@>', '(a+)+$', '((((((((', '{{trigger.state}}', '${7*7}', '<script>alert(1)</script>', '"', "'", '`', '--', '/*', '*/', '?', '??', ':name', '$1', '@', '!', '|', '^', '+', '-']

const statements = ["' or 1=1; drop table record --", '"; select pg_sleep(9) --', "') union select * from app_user --", "'; attach database '/tmp/x' as x; --", "1; select load_extension('x')", "x' and (select count(*) from api_key) > 0 and '1'='1", "';vacuum;--", '" or ""="', "E'\\x27'", "' || (select key_hash from api_key limit 1) || '"]

const shorthand = ['null', '!null', '!=', '!=x', '>', '>=', '<', '<=', '>5', '<=x', '>=2026-02-30', '!', '*x', 'x*', 'true', 'false', 'undefined', 'NaN', 'Infinity', '-Infinity', '1e999', '1e308', '-0', '0x10', '0b1', '0o7', '1_000', '1,5', '.5', '5.', '+5', ' 5 ', '9'.repeat(400), '0.' + '3'.repeat(400)]

const times = ['2026-02-30', '0000-00-00', '2026-13-01', '10000-01-01', '-0001-01-01', '9999-12-31T23:59:59.999Z', '0000-01-01T00:00:00Z', '-271821-04-20T00:00:00Z', '+275760-09-13T00:00:00.001Z', '2026-01-31T24:00:00Z', '2026-01-31T09:30:00+25:00', '2026-01-31T09:30:00-00:00', '2026-06-30T23:59:60Z', '2026-01-31T09:30:00.123456789Z', '2026-01-31T09:30', '2026-01-31 09:30:00', '2026-W05-6', '2026-031', 'today', 'last_quarter', '-30d', '+2w', '-99999y', '+10000y', '-10000q', '+0h', '-30', 'last_constructor', 'this_', '20260131']

const names = ['a@b', 'a@b.c', '@', 'a@@b.com', '.a@b.com', 'a..b@c.com', 'ä@ä.example', 'a@[127.0.0.1]', `${'x'.repeat(64)}@example.com`, `${'x'.repeat(65)}@example.com`, 'a@xn--ls8h.example', 'a@xn--.com', 'A@EXAMPLE.COM', 'localhost', '-a.com', 'xn--', 'xn--a.com', '例え.テスト', 'a..b', 'http://example.com', 'ex ample.com', `${'a'.repeat(64)}.com`, 'a'.repeat(300) + '.com', '١.com', '1.2.3.4', '0x7f.1', '+', '+1', '+00', 'tel:+15551234', '+' + '9'.repeat(50), '+1 (555) 010-9999 ext. 5', 'javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', 'http://[::1]:99999', '//x', 'admin', 'person', 'user', 'system']

const ids = ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff', '019b2f6e-7a00-7000-8000-00000000dead', 'nothing', '0', '-1', '1', "019b2f6e-7a00-7000-8000-000000000001' or '1'='1"]

const long = ['x'.repeat(101), 'x'.repeat(201), 'x'.repeat(256), 'x'.repeat(501), 'é'.repeat(2731), 'x'.repeat(4097), '🦊'.repeat(3000), 'x'.repeat(10_001), 'x'.repeat(20_000), '%'.repeat(3000), '('.repeat(5000), 'a '.repeat(5000), 'x'.repeat(100_001)]

const hostileTexts: readonly string[] = [...encodings, ...syntax, ...statements, ...shorthand, ...times, ...names, ...ids, ...inheritedNames]

const numbers: readonly Json[] = [
  0, -1, 1, 2, 0.5, -0.1, 1e-7, 0.00001, 0.30000000000000004, 49, 50, 51, 255, 256, 500, 501, 1000, 1001, 2 ** 31 - 1, 2 ** 31, 2 ** 32, -(2 ** 31), -(2 ** 31) - 1, 2 ** 53 - 1, 2 ** 53, -(2 ** 53), 2 ** 63, 2 ** 64, 1e21, 1e12, 999_999_999_999.9999, 1e308, -1e308, 5e-324,
  ...['-0', '0.0', '1.0', '1E5', '1e999', '-1e999', '1e-999', `1${'0'.repeat(1000)}`, `0.${'3'.repeat(1000)}`, '123456789012345678901234567890', '9007199254740993'].map((text) => new RawJson(text)),
]

const own = (name: string, value: Json): Json => ({ [name]: value })

const structures: readonly Json[] = [
  null, true, false, [], {}, [[]], [{}], [null], ['a', 1, null, {}], { items: null }, { items: [] }, { items: {} }, { items: [{}] }, { items: ['a', 1, null] }, { items: [''] }, { items: ['a', 'a', 'A'] }, { data: null }, { data: [] }, { data: [null] }, { text: [] }, { text: [{}] }, { text: [{ type: 'paragraph', content: {} }] },
  { and: [] }, { or: [] }, { not: null }, { not: { not: { not: { field: 'name', op: 'Is empty' } } } }, { field: 'name', op: 'Is', value: {} }, { $ref: '#/$defs/Filter' }, { length: 1e9 }, { '': '' }, { 'a.b': 1 }, { '/': 1, '~': 2 },
  ...inheritedNames.flatMap((name) => [own(name, 'x'), own(name, { admin: true })]),
  new RawJson('{"a":1,"a":2}'), new RawJson('{"__proto__":{"a":1},"constructor":{"prototype":{}}}'), new RawJson('"\\ud800"'), new RawJson('"\\u0000"'),
]

/** What the grammar of JSON forbids: the whole body must be refused for it. */
const noJson = ['{', '[1,]', '{"a":1,}', "{'a':1}", 'undefined', 'NaN', 'Infinity', '01', '+1', '.5', '1.', '"\t"', '"\\x41"', '"abc', '/* */ 1', 'True', '\uFEFF1', '{"a" 1}', '{a:1}', '1 2', '[1 2]', '\\u0031'].map((text) => new RawJson(text))

const nested = (depth: number, open: string, close: string): RawJson => new RawJson(open.repeat(depth) + close.repeat(depth))

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

export const hostileText = (random: Random): string => (random.chance(0.06) ? random.pick(long) : random.pick(hostileTexts))

/** Any value that might be trouble. */
export const hostileValue = (random: Random): Json =>
  random.weighted<() => Json>([
    [50, () => hostileText(random)],
    [20, () => random.pick(numbers)],
    [27, () => random.pick(structures)],
    [2, () => random.pick(noJson)],
    [1, () => random.pick(heavy)()],
  ])()
