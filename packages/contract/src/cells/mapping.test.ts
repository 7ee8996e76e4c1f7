import { expect, test } from 'vitest'
import type { FieldSchema } from '../field-schema.ts'
import type { ObjectSchemaDocument } from '../schema-document.ts'
import { compileMapping, type MapOption } from './mapping.ts'
import type { Notation } from './notation.ts'

const properties: Record<string, FieldSchema> = {
  title: { xSvcType: 'text', xSvcUnique: true },
  about: { xSvcType: 'long_text' },
  story: { xSvcType: 'rich_text' },
  amount: { xSvcType: 'currency' },
  done: { xSvcType: 'checkbox' },
  stage: { xSvcType: 'select', enum: ['Won', ' Lost '] },
  name: { xSvcType: 'person_name' },
  place: { xSvcType: 'location' },
  tags: { xSvcType: 'labels' },
  phones: { xSvcType: 'phone_numbers' },
  guests: { xSvcType: 'participants' },
  extra: { xSvcType: 'json' },
  mixed: { type: ['string', 'number'] },
  any: { title: 'Any' },
  day: { xSvcType: 'date' },
  start: { xSvcType: 'timestamp' },
}
const schema = { title: 'thing', properties } as unknown as ObjectSchemaDocument

const mapOption = (source: string, target: string): MapOption => {
  const [field = '', part] = target.split('.')
  return { source, field, part }
}

type MappedOptions = { clearEmpty?: boolean; matchOn?: string; notation?: Omit<Notation, 'separator'> }

/** Maps one row, with a column for each mapping, in their order. */
function mapped(cells: Record<string, string>, { clearEmpty = false, matchOn, notation }: MappedOptions = {}) {
  const maps = Object.keys(cells).map((target, index) =>
    target.includes('{')
      ? mapOption(target.slice(0, target.lastIndexOf('=')), target.slice(target.lastIndexOf('=') + 1))
      : mapOption(`c${index}`, target.replace(/^\d+ /, '')),
  )
  const header = Object.keys(cells).map((_, index) => `c${index}`)
  const options = { maps, notation: { separator: ';', ...notation }, matchOn, clearEmpty, createMissing: false }
  const row = compileMapping(options, header, schema).map(Object.values(cells))
  return 'faults' in row ? row : { attributes: row.attributes }
}

const paragraph = (text: string) => ({ type: 'paragraph', content: [{ type: 'text', text }] })

test('an empty cell changes nothing: no field, no part, no item, nothing that is made of it', () => {
  const empty = { '0 about': '', '1 story': ' ', '2 amount': '', '3 done': '\t', '4 stage': '', '5 extra': '' }
  expect(mapped({ title: 'x', ...empty })).toEqual({ attributes: { title: 'x' } })
  expect(mapped({ 'name.first_name': 'Ada', 'name.last_name': '', 'name.full_name': ' ' })).toEqual({
    attributes: { name: { first_name: 'Ada' } },
  })
  expect(mapped({ 'place.city': '', 'place.street': 'Ring 1', 'extra.a': '', 'extra.b': 'x' })).toEqual({
    attributes: { place: { street: 'Ring 1' }, extra: { b: 'x' } },
  })
  expect(mapped({ '0 phones': '', '1 phones': '+1', '2 tags': '', '3 tags': ' ; ', '4 guests': '' })).toEqual({
    attributes: { phones: { items: ['+1'] } },
  })
  expect(mapped({ title: 'x', '{c0} {c2}=about': '', '2 stage': ' ' })).toEqual({ attributes: { title: 'x' } })
})

test('a date in the place of a time is its beginning', () => {
  expect(mapped({ start: '2026-01-31' })).toEqual({ attributes: { start: '2026-01-31T00:00:00' } })
  expect(mapped({ start: '2026-01-31T08:00:00Z' })).toEqual({ attributes: { start: '2026-01-31T08:00:00Z' } })
})

test('with --clear-empty it empties what it is mapped to', () => {
  const clearEmpty = true
  const empty = { '0 about': '', '1 story': ' ', '2 amount': '', '3 done': '', '4 tags': ' ;', '5 guests': '' }
  expect(mapped({ title: 'x', ...empty }, { clearEmpty })).toEqual({
    attributes: { title: 'x', about: null, story: null, amount: null, done: null, tags: null, guests: null },
  })
  expect(
    mapped({ 'name.first_name': 'Ada', 'name.last_name': '', 'place.city': ' ', 'place.street': 'x' }, { clearEmpty }),
  ).toEqual({ attributes: { name: { first_name: 'Ada', last_name: null }, place: { city: null, street: 'x' } } })
  expect(mapped({ '0 phones': '', '1 phones': '+1', '2 guests': '', '3 guests': 'a@b.c' }, { clearEmpty })).toEqual({
    attributes: { phones: { items: ['+1'] }, guests: { items: ['a@b.c'] } },
  })
  expect(mapped({ title: 'x', '{c0} {c2}=about': '', '2 stage': '' }, { clearEmpty })).toEqual({
    attributes: { title: 'x', about: null, stage: null },
  })
})

test('what has nothing to match on, or nothing at all, is rejected, with --clear-empty too', () => {
  for (const clearEmpty of [false, true]) {
    expect(mapped({ title: ' ', about: 'x' }, { clearEmpty, matchOn: 'title' })).toEqual({
      faults: ['title: The value to match on is missing.'],
    })
    expect(mapped({ title: '', tags: '' }, { clearEmpty })).toEqual({ faults: ['All mapped cells are empty.'] })
  }
})

test('an apostrophe before what would be a formula is taken off, cell by cell', () => {
  expect(mapped({ title: "'=1", about: "''+1", '{c0}|{c1}|{c3}=place': '', '3 stage': "'tis" })).toEqual({
    attributes: { title: '=1', about: "'+1", place: "=1|'+1|'tis", stage: "'tis" },
  })
  expect(mapped({ amount: "'-5", phones: "'+1; '+2" })).toEqual({
    attributes: { amount: -5, phones: { items: ['+1', "'+2"] } },
  })
})

test('items with the separator stand in quotes, and JSON is known where a value may be an object', () => {
  expect(mapped({ tags: '"a;b"; c', '1 tags': ' """d"""' })).toEqual({
    attributes: { tags: { items: ['a;b', 'c', '"d"'] } },
  })
  expect(mapped({ tags: '"a" b; c' })).toEqual({ faults: [expect.stringMatching(/^tags: An item that begins/)] })
  const guests = [{ email: 'a@b.c', name: 'x;y' }]
  expect(mapped({ guests: JSON.stringify(guests), '1 guests': 'd@e.f; g@h.i' })).toEqual({
    attributes: { guests: { items: [...guests, 'd@e.f', 'g@h.i'] } },
  })
  expect(mapped({ guests: JSON.stringify({ items: guests }) })).toEqual({ attributes: { guests: { items: guests } } })
  const story = { text: [{ type: 'heading', content: [{ type: 'text', text: 'x' }] }] }
  expect(mapped({ story: JSON.stringify(story) })).toEqual({ attributes: { story } })
  expect(mapped({ story: 'a\r\n{"text":1}\rb\nc' })).toEqual({
    attributes: { story: { text: ['a', '{"text":1}', 'b', 'c'].map(paragraph) } },
  })
  for (const [cell, place] of [
    ['{"city":"Bern"}', { city: 'Bern' }],
    ['"Bern "', 'Bern '],
    [' Bern ', 'Bern'],
    ['3000', '3000'],
    ['{"city":', '{"city":'],
  ])
    expect(mapped({ place: cell as string })).toEqual({ attributes: { place } })
  expect(mapped({ extra: '[1,"x"]', mixed: 'x', any: '"5"' })).toEqual({
    attributes: { extra: [1, 'x'], mixed: 'x', any: '5' },
  })
  expect(mapped({ mixed: '5', any: 'true' })).toEqual({ attributes: { mixed: 5, any: true } })
  expect(mapped({ extra: 'x' })).toEqual({ faults: ['extra: The cell is not valid JSON.'] })
})

test('white space at the ends stays where it may mean something', () => {
  expect(mapped({ about: ' x\n', stage: ' Lost ', '2 tags': ' a ; "b "' })).toEqual({
    attributes: { about: ' x\n', stage: ' Lost ', tags: { items: ['a', 'b '] } },
  })
  expect(mapped({ stage: ' Won ', amount: ' 5 ' })).toEqual({ attributes: { stage: 'Won', amount: 5 } })
})

test('a numeral that would become another number is rejected, in JSON too', () => {
  for (const good of ['0.1', '-0', '1e3', '00.10', '.5', '5.', '9007199254740991', '1E-7', '123456789012345680000'])
    expect(mapped({ amount: good })).toEqual({ attributes: { amount: Number(good) } })
  for (const bad of ['9007199254740993', '12345678901234567890', '0.12345678901234567891', '1e999', '1e-999'])
    for (const cells of [{ amount: bad }, { extra: `{"a":[1,${bad}]}` }, { place: `{"lat":${bad}}` }])
      expect(mapped(cells)).toEqual({ faults: [expect.stringContaining(`${bad} cannot be stored exactly`)] })
})

test('cells that name a linked record are read as the types of its fields', () => {
  const owned = { ...properties, owner: { xSvcRelationship: { kind: 'many-to-one', entity: 'thing', field: 'owned' } } }
  const document = { title: 'thing', properties: owned } as unknown as ObjectSchemaDocument
  const rowOf = (cells: Record<string, string>, clearEmpty = false) => {
    const maps = Object.keys(cells).map((target) => mapOption(target, `owner.${target}`))
    const options = { maps, notation: { separator: ';' }, matchOn: undefined, clearEmpty, createMissing: true }
    return compileMapping(options, Object.keys(cells), document, new Map([['thing', document]])).map(
      Object.values(cells),
    )
  }
  expect(rowOf({ title: 'x', amount: '5', tags: 'a; b', about: ' ' })).toEqual({
    attributes: { owner: { match: { title: 'x' } } },
    linked: {
      owner: {
        entity: 'thing',
        field: 'title',
        value: 'x',
        attributes: { title: 'x', amount: 5, tags: { items: ['a', 'b'] } },
      },
    },
  })
  expect(rowOf({ title: 'x', amount: 'lots' })).toEqual({ faults: [expect.stringMatching(/^owner: "lots"/)] })
  expect(rowOf({ title: ' ', amount: '5' })).toEqual({ faults: ['All mapped cells are empty.'] })
})

test('dates and numbers of other countries are read as the options say; what is unclear is rejected', () => {
  const swiss = { notation: { dates: 'dmy', decimal: ',' } } as const
  expect(mapped({ day: '31.1.2026', start: '1/2/2026, 9:05', amount: "1'250,50" }, swiss)).toEqual({
    attributes: { day: '2026-01-31', start: '2026-02-01T09:05', amount: 1250.5 },
  })
  expect(mapped({ day: '1/31/2026', start: '2026-02-01T09:05Z' }, { notation: { dates: 'mdy' } })).toEqual({
    attributes: { day: '2026-01-31', start: '2026-02-01T09:05Z' },
  })
  for (const [cell, amount] of [
    ['1,234.50', 1234.5],
    ["1'250", 1250],
    ['1,234,567', 1_234_567],
  ] as const)
    expect(mapped({ amount: cell })).toEqual({ attributes: { amount } })
  expect(mapped({ amount: '1,250' })).toEqual({ faults: [expect.stringContaining('is not a number')] })
  expect(mapped({ amount: '1.250' }, swiss)).toEqual({ attributes: { amount: 1250 } })
  expect(mapped({ day: '31.1.2026', amount: '1.25' })).toEqual({ attributes: { day: '31.1.2026', amount: 1.25 } })
  expect(mapped({ day: '31.02.2026' }, swiss)).toEqual({
    faults: ['day: "31.02.2026" does not exist, read as day, month, year.'],
  })
  expect(mapped({ day: '31.12.2026' }, { notation: { dates: 'mdy' } })).toEqual({
    faults: ['day: "31.12.2026" does not exist, read as month, day, year.'],
  })
  expect(mapped({ day: '31.12.2026' }, { notation: { dates: 'ymd' } })).toEqual({
    faults: [expect.stringMatching(/^day: "31\.12\.2026" is not a date as YYYY-MM-DD; .*dmy or mdy/)],
  })
  expect(mapped({ done: 'ja' })).toEqual({ faults: [expect.stringContaining('write true, false, yes, no, 1 or 0')] })
  for (const cells of [{ day: '1.2.26' }, { amount: '1.25' }, { amount: '1,250.50' }])
    expect(mapped(cells, swiss)).toEqual({ faults: [expect.stringMatching(/four digits|comma before decimals/)] })
})
