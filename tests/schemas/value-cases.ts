import type { Json } from '../harness/http.ts'

/**
 * The field under test is `v`. Good values are answered as given, or as the third of a pair says; bad ones with a text.
 */
type Case = {
  readonly schema: Json
  readonly good: readonly Json[]
  readonly bad: readonly (readonly [Json, string, string?])[]
}

const block = { id: 'b', type: 'paragraph', children: [], content: [{ type: 'text', text: 'Hi', styles: {} }] }

/** The values that each field type, each format and each keyword accepts and refuses. */
export const cases: Record<string, Case> = {
  // Every field type.
  text: {
    schema: { xSvcType: 'text' },
    good: ['a', 'ü'.repeat(10_000)],
    bad: [
      [5, 'Must be a string.'],
      ['x'.repeat(10_001), 'Must be at most 10000 characters.'],
    ],
  },
  long_text: {
    schema: { xSvcType: 'long_text' },
    good: ['x'.repeat(100_000)],
    bad: [['x'.repeat(100_001), 'Must be at most 100000 characters.']],
  },
  rich_text: {
    schema: { xSvcType: 'rich_text' },
    good: [{ text: [block] }],
    bad: [
      ['x', 'Must be an object {"text": [block…]}.'],
      [{ text: [1] }, 'Must be a block with a "type".', '/text/0'],
    ],
  },
  number: {
    schema: { xSvcType: 'number' },
    good: [0, -1.5, 999_999_999_999.9999, 0.0001],
    bad: [
      ['5', 'Must be a number.'],
      [1e12, 'Must be less than 1,000,000,000,000.'],
      [0.00001, 'Must have at most 4 decimals.'],
    ],
  },
  currency: { schema: { xSvcType: 'currency' }, good: [12.3456], bad: [[true, 'Must be a number.']] },
  rating: {
    schema: { xSvcType: 'rating' },
    good: [0, 5],
    bad: [
      [6, 'Must be a whole number from 0 to 5.'],
      [2.5, 'Must be a whole number from 0 to 5.'],
    ],
  },
  checkbox: {
    schema: { xSvcType: 'checkbox' },
    good: [true, false],
    bad: [
      ['true', 'Must be true or false.'],
      [1, 'Must be true or false.'],
    ],
  },
  date: {
    schema: { xSvcType: 'date' },
    good: ['2024-02-29'],
    bad: [
      ['2023-02-29', 'Must be a date as YYYY-MM-DD.'],
      ['2024-2-9', 'Must be a date as YYYY-MM-DD.'],
    ],
  },
  timestamp: {
    schema: { xSvcType: 'timestamp' },
    good: ['2024-02-29T10:00:00.000Z'],
    bad: [['2024-02-29T10', 'Must be an ISO 8601 timestamp with a zone, for example 2026-01-31T09:30:00Z.']],
  },
  select: {
    schema: { xSvcType: 'select', enum: ['A', 'B'] },
    good: ['A'],
    bad: [
      ['a', 'Must be one of: A, B.'],
      [['A'], 'Must be one of: A, B.'],
    ],
  },
  multi_select: {
    schema: { xSvcType: 'multi_select', enum: ['A', 'B'] },
    good: [{ items: ['B', 'A'] }],
    bad: [
      [{ items: ['A', 'C'] }, 'Must be one of: A, B.', '/items/1'],
      [['A'], 'Must be an object {"items": […]}.'],
    ],
  },
  email_addresses: {
    schema: { xSvcType: 'email_addresses' },
    good: [{ items: ['a@example.com'] }],
    bad: [[{ items: ['a@'] }, 'Must be an e-mail address.', '/items/0']],
  },
  phone_numbers: {
    schema: { xSvcType: 'phone_numbers' },
    good: [{ items: ['+41446681800', 'ask Joe'] }],
    bad: [[{ items: [5] }, 'Must be a phone number.', '/items/0']],
  },
  domains: {
    schema: { xSvcType: 'domains' },
    good: [{ items: ['example.com'] }],
    bad: [[{ items: ['-'] }, 'Must be a domain name such as example.com.', '/items/0']],
  },
  labels: {
    schema: { xSvcType: 'labels' },
    good: [{ items: ['vip', 'new'] }],
    bad: [[{ items: [null] }, 'Must be a text.', '/items/0']],
  },
  participants: {
    schema: { xSvcType: 'participants' },
    good: [
      {
        items: [
          { email: 'joe@example.com', name: 'Joe', phone_number: '+12025550143', status: 'accepted', organizer: true },
        ],
      },
    ],
    bad: [
      ['Joe', 'Must be an object {"items": […]}.'],
      [{ items: ['Joe'] }, 'Must be an e-mail address.', '/items/0'],
      [
        { items: [{ email: 'joe@example.com', role: 'x' }] },
        'Unknown member; allowed: email, name, phone_number, status, organizer, type.',
        '/items/0/role',
      ],
    ],
  },
  url: {
    schema: { xSvcType: 'url' },
    good: ['https://example.com/a?b#c'],
    bad: [
      [1, 'Must be a string.'],
      ['x'.repeat(2049), 'Must be at most 2048 characters.'],
    ],
  },
  location: {
    schema: { xSvcType: 'location' },
    good: ['Bern', { city: 'Bern' }],
    bad: [[5, 'Must be a string or an object.']],
  },
  person_name: {
    schema: { xSvcType: 'person_name' },
    good: [{ first_name: 'Ada', last_name: 'L', full_name: 'Ada L' }],
    bad: [['Ada', 'Must be an object {"first_name", "last_name"}.']],
  },
  user_reference: {
    schema: { xSvcType: 'user_reference' },
    good: [],
    bad: [['joe', 'Must be the id of a user; `GET …/users` lists them.']],
  },
  json: { schema: { xSvcType: 'json' }, good: ['a', 5, true, [1, { a: null }], { a: 1 }], bad: [] },

  // Plain JSON Schema, mapped to the nearest type.
  'plain string': { schema: { type: 'string' }, good: ['a'], bad: [[5, 'Must be a string.']] },
  'plain long string': {
    schema: { type: ['string', 'null'], maxLength: 20_000 },
    good: ['x'.repeat(20_000)],
    bad: [['x'.repeat(20_001), 'Must be at most 20000 characters.']],
  },
  'plain number': { schema: { type: 'number' }, good: [1.5], bad: [['1', 'Must be a number.']] },
  'plain integer': { schema: { type: ['integer', 'null'] }, good: [3], bad: [[1.5, 'Must be a whole number.']] },
  'plain boolean': { schema: { type: 'boolean' }, good: [true], bad: [[1, 'Must be true or false.']] },
  'plain date': {
    schema: { type: 'string', format: 'date' },
    good: ['2026-01-31'],
    bad: [['31.1.2026', 'Must be a date as YYYY-MM-DD.']],
  },
  'plain date-time': {
    schema: { type: 'string', format: 'date-time' },
    good: ['2026-01-31T00:00:00.000Z'],
    bad: [['now', 'Must be an ISO 8601 timestamp with a zone, for example 2026-01-31T09:30:00Z.']],
  },
  'plain uri': {
    schema: { type: 'string', format: 'uri' },
    good: ['https://example.com'],
    bad: [['example', 'Must be a URI such as https://example.com.']],
  },
  'plain enum': { schema: { enum: ['x', 'y'] }, good: ['x'], bad: [['z', 'Must be one of: x, y.']] },
  'plain enum of numbers': {
    schema: { type: 'number', enum: [1, 2.5] },
    good: [2.5],
    bad: [[2, 'Must be one of: 1, 2.5.']],
  },
  'plain object': {
    schema: { type: 'object' },
    good: [{ a: 1 }],
    bad: [
      ['a', 'Must be an object.'],
      [[1], 'Must be an object.'],
    ],
  },
  'plain array': { schema: { type: 'array' }, good: [[1, 'a']], bad: [[{ items: [1] }, 'Must be an array.']] },
  'plain union': {
    schema: { type: ['string', 'integer'] },
    good: ['a', 1],
    bad: [[1.5, 'Must be a string or an integer.']],
  },
  'nothing said': { schema: {}, good: ['a', 1], bad: [] },

  // Every keyword.
  minLength: {
    schema: { type: 'string', minLength: 2 },
    good: ['ab', '👍👍'],
    bad: [
      ['a', 'Must be at least 2 characters.'],
      ['👍', 'Must be at least 2 characters.'],
      ['', 'Must be at least 2 characters.'],
    ],
  },
  maxLength: {
    schema: { type: 'string', maxLength: 2 },
    good: ['ab', '👍👍'],
    bad: [['abc', 'Must be at most 2 characters.']],
  },
  pattern: {
    schema: { type: 'string', pattern: '^[A-Z]{2}-\\d+$' },
    good: ['AB-12'],
    bad: [['ab-12', 'Must match the pattern ^[A-Z]{2}-\\d+$']],
  },
  'pattern anywhere': {
    schema: { type: 'string', pattern: '\\p{Lu}' },
    good: ['xÄx'],
    bad: [['xäx', 'Must match the pattern \\p{Lu}']],
  },
  'format email': {
    schema: { type: 'string', format: 'email' },
    good: ['a@example.com'],
    bad: [['a@', 'Must be an e-mail address.']],
  },
  'format hostname': {
    schema: { type: 'string', format: 'hostname' },
    good: ['example.com'],
    bad: [['a b', 'Must be a host name such as example.com.']],
  },
  'format ipv4': {
    schema: { type: 'string', format: 'ipv4' },
    good: ['127.0.0.1'],
    bad: [['::1', 'Must be an IPv4 address.']],
  },
  'format ipv6': {
    schema: { type: 'string', format: 'ipv6' },
    good: ['::1'],
    bad: [['127.0.0.1', 'Must be an IPv6 address.']],
  },
  'format uuid': {
    schema: { type: 'string', format: 'uuid' },
    good: ['019b2f6e-7a00-7000-8000-000000000001'],
    bad: [['x', 'Must be a UUID.']],
  },
  'format time': {
    schema: { type: 'string', format: 'time' },
    good: ['09:30:00Z'],
    bad: [['09:30', 'Must be a time with a zone, for example 09:30:00Z.']],
  },
  minimum: { schema: { type: 'number', minimum: 0.1 }, good: [0.1], bad: [[0.0999, 'Must be at least 0.1.']] },
  maximum: { schema: { type: 'number', maximum: -1 }, good: [-1], bad: [[-0.9999, 'Must be at most -1.']] },
  multipleOf: {
    schema: { type: 'number', multipleOf: 0.1 },
    good: [0.3, 1.1, -0.7, 123_456_789.1],
    bad: [[0.35, 'Must be a multiple of 0.1.']],
  },
  'multipleOf cents': {
    schema: { xSvcType: 'currency', multipleOf: 0.01 },
    good: [1.15, 4.35, 0.07],
    bad: [[0.001, 'Must be a multiple of 0.01.']],
  },
  const: { schema: { type: 'string', const: 'only' }, good: ['only'], bad: [['other', 'Must be "only".']] },
  'const of a number': { schema: { type: 'number', const: 4 }, good: [4], bad: [[5, 'Must be 4.']] },
  'const of JSON': {
    schema: { xSvcType: 'json', const: { a: [1] } },
    good: [{ a: [1] }],
    bad: [[{ a: [2] }, 'Must be {"a":[1]}.']],
  },
  'enum of text': {
    schema: { xSvcType: 'text', enum: ['a', 'b'] },
    good: ['b'],
    bad: [['c', 'Must be one of: a, b.']],
  },
  minItems: {
    schema: { xSvcType: 'labels', minItems: 2 },
    good: [{ items: ['a', 'b'] }],
    bad: [
      [{ items: ['a'] }, 'Must have at least 2 items.'],
      [{ items: ['a', 'a'] }, 'Must have at least 2 items.'],
      [{ items: [] }, 'Must have at least 2 items.'],
    ],
  },
  maxItems: {
    schema: { xSvcType: 'labels', maxItems: 1 },
    good: [{ items: ['a'] }],
    bad: [[{ items: ['a', 'b'] }, 'Must have at most 1 items.']],
  },
  items: {
    schema: { xSvcType: 'labels', items: { type: 'string', pattern: '^[a-z]+$', maxLength: 3 } },
    good: [{ items: ['abc'] }],
    bad: [
      [{ items: ['abc', 'A'] }, 'Must match the pattern ^[a-z]+$', '/items/1'],
      [{ items: ['abcd'] }, 'Must be at most 3 characters.', '/items/0'],
    ],
  },
  'items of an enum': {
    schema: { xSvcType: 'labels', items: { enum: ['a', 'b'] } },
    good: [{ items: ['b', 'a'] }],
    bad: [[{ items: ['a', 'c'] }, 'Must be one of: a, b.', '/items/1']],
  },
  'items of a const': {
    schema: { type: 'array', items: { const: 1 } },
    good: [[1, 1]],
    bad: [[[1, 2], 'Must be 1.', '/1']],
  },
  'items of a format': {
    schema: { xSvcType: 'labels', items: { format: 'email', minLength: 8 } },
    good: [{ items: ['a@example.com'] }],
    bad: [
      [{ items: ['a-person'] }, 'Must be an e-mail address.', '/items/0'],
      [{ items: ['a@b.ch'] }, 'Must be at least 8 characters.', '/items/0'],
    ],
  },
  'items up to a number': {
    schema: { type: 'array', items: { maximum: 3 } },
    good: [[1, 'a']],
    bad: [[[4], 'Must be at most 3.', '/0']],
  },
  'items of an array': {
    schema: { type: 'array', items: { type: 'number', minimum: 1, multipleOf: 0.5 } },
    good: [[1, 2.5]],
    bad: [
      [[1, 'a'], 'Must be a number.', '/1'],
      [[0.5], 'Must be at least 1.', '/0'],
      [[1.2], 'Must be a multiple of 0.5.', '/0'],
    ],
  },
  'uniqueItems of an array': {
    schema: { type: 'array', uniqueItems: true, maxItems: 3 },
    good: [[1, '1', { a: 1 }]],
    bad: [
      [
        [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ],
        'Must not occur twice.',
        '/1',
      ],
      [[1, 2, 3, 4], 'Must have at most 3 items.'],
    ],
  },
  readOnly: { schema: { type: 'string', readOnly: true }, good: [], bad: [['a', '"v" is read-only.']] },
  'words for people': {
    schema: {
      type: 'string',
      title: 'V',
      description: 'What it is',
      examples: ['a'],
      deprecated: true,
      xSvcSearchable: true,
      xSvcPresentation: { rank: 3, hiddenInDetails: true },
    },
    good: ['a'],
    bad: [],
  },
}
