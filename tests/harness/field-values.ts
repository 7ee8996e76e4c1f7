import type { Json } from './http.ts'

export const signs = ['=', '+', '-', '@', '\t', '＝', "'"]
const lineEnds = ['a\r\nb', 'a\nb', 'a\rb', 'a\n\nb,"c";d']
const hurting = [
  ...signs.flatMap((sign) => [`${sign}x`, `'${sign}x`, `''${sign}x`]),
  ...lineEnds,
  '007',
  '1e5',
  'true',
  'null',
  '""',
  '"',
  "'",
  "'tis",
  ';',
  ', ',
  'a;b',
  '"a;b"',
  '{"a":1}',
  '[1]',
  '\\n',
  '🧶',
]
const run = (text: string, styles: Json = {}): Json => ({ type: 'text', text, styles })
const block = (...content: Json[]): Json => ({ id: 'b', type: 'paragraph', children: [], content })
const items = (...rows: Json[][]): Json[] => rows.map((row) => ({ items: row }))
const options = ['a', 'a;b', 'a, b', '"q"', '=1', "'=1", '-', ';', 'null', '!=x', '007', ' ends ']

type FieldValues = Readonly<Record<string, { readonly schema: Json; readonly values: readonly Json[] }>>

/** A field of each type, and values of it that a file could change. */
export const fieldValues = (users: readonly string[]): FieldValues => ({
  text: { schema: {}, values: hurting },
  long_text: { schema: {}, values: [...hurting, '  kept ', '\n=1\n', '\r=1', ' \t x', 'x\r'] },
  rich_text: {
    schema: {},
    values: [
      { text: [block(run('=1;"x"\n', { bold: true })), block(run('{"text":[]}'))] },
      { text: [{ ...block(), children: [block(run(" 'two "))] }] },
    ],
  },
  number: { schema: {}, values: [0, -1.5, 0.0001, 999_999_999_999.9999, -7] },
  currency: { schema: {}, values: [-12.3456, 1250.5] },
  rating: { schema: {}, values: [0, 5] },
  checkbox: { schema: {}, values: [true, false] },
  date: { schema: {}, values: ['0001-01-01', '2024-02-29', '9999-12-31'] },
  timestamp: { schema: {}, values: ['2024-02-29T10:00:00.001Z', '1970-01-01T00:00:00.000Z'] },
  select: { schema: { enum: options }, values: options },
  multi_select: { schema: { enum: options }, values: items(options, ['a;b', 'a'], [' ends '], ['"q"'], ['=1', ';']) },
  email_addresses: { schema: {}, values: items(['a@example.com', "o'x+y@example.com"], ['-x@example.com']) },
  phone_numbers: {
    schema: {},
    values: items(['+12025550143', 'ask; "Joe"'], ['=ask', '+44 20 nobody;'], ["'+ 5"], ['-']),
  },
  domains: { schema: {}, values: items(['example.com', 'b.example.com']) },
  url: { schema: {}, values: ['https://example.com/a;b,"c"?d=1#=', '=x'] },
  location: {
    schema: {},
    values: [
      { city: '=Bern; "x"', geo: { lat: -1.5 } },
      'Bern',
      '"Bern"',
      '{"city":"Bern"}',
      '{"city":',
      ' Bern ',
      '=1',
      '5',
      'null',
      '"',
      'a\r\nb',
    ],
  },
  person_name: {
    schema: {},
    values: [
      { first_name: '=Ada', last_name: "'-L", full_name: 'Ada; "L"' },
      { first_name: null, last_name: null, full_name: '+Ada' },
      { first_name: 'a\nb', last_name: null, full_name: 'a\nb' },
    ],
  },
  labels: {
    schema: {},
    values: [...items(hurting.filter((text) => text === text.trim())), ...items(['a;b'], ['"', 'x'])],
  },
  participants: {
    schema: {},
    values: [
      ...items([
        { email: 'joe@example.com', name: '=Joe; "x"', status: "'a\n", organizer: true },
        { email: 'a@b.example' },
      ]),
      ...items([{ email: "-o'x@example.com", phone_number: '+12025550143' }]),
    ],
  },
  reference: { schema: {}, values: [] },
  user_reference: { schema: {}, values: users },
  json: {
    schema: {},
    values: [
      ...hurting,
      5,
      -5,
      1e-7,
      -1e21,
      true,
      false,
      [],
      {},
      [';', null, { a: '=1' }],
      { '=a': [' \r\n '], b: -0.5 },
    ],
  },
  'plain text': { schema: { type: 'string' }, values: hurting },
  'plain object': { schema: { type: 'object' }, values: [{ a: '=1' }] },
  'plain array': { schema: { type: 'array' }, values: [['=1', -1, ';']] },
  'plain choice': { schema: { type: 'string', enum: options }, values: options },
  'plain integer': { schema: { type: ['integer', 'null'] }, values: [-5] },
  'of several types': { schema: { type: ['string', 'number'] }, values: ['=1', '5', 5, -5, '"5"', 'a;b'] },
  'of any type': { schema: { title: 'Any' }, values: ['=1', '5', 5, true, ['=1'], 'true'] },
})
