import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { faultsOf, schemasOf, schemasPath } from '../harness/schemas.ts'

const app = await startApp()
const { api } = app
const { post } = schemasOf(app)

describe('what is refused', () => {
  const name = { type: 'string', xSvcPrimary: true }
  test.for<[string, Json, string]>([
    ['an object that exists', { name: 'Twice', plural: 'x' }, '/name: An object "c_twice" already exists.'],
    [
      'a name of nothing',
      { name: '!!!', plural: 'x' },
      '/name: Must contain a letter from a to z or a digit, for the name of the object.',
    ],
    ['a name that is too long', { name: 'x'.repeat(33), plural: 'x' }, '/name: Must have at most 32 characters.'],
    [
      'a reserved field',
      { name: 'A', plural: 'x', properties: { name, _x: {} } },
      '/properties/_x: Names that begin with "_" are reserved for system attributes.',
    ],
    [
      'a field that is no name',
      { name: 'A', plural: 'x', properties: { name, 'a.b': {} } },
      '/properties/a.b: The name of a field has up to 63 letters, digits and "_", and begins with a letter.',
    ],
    [
      'a field of a dangerous name',
      { name: 'A', plural: 'x', properties: { name, constructor: {} } },
      '/properties/constructor: This name has a special meaning in many programs.',
    ],
    [
      'an unknown keyword',
      { name: 'A', plural: 'x', properties: { name, a: { type: 'number', exclusiveMinimum: 3 } } },
      '/properties/a/exclusiveMinimum: Unknown member "exclusiveMinimum". A field takes: type, title, ' +
        'description, examples, enum, const, format, pattern, minLength, maxLength, minimum, maximum, ' +
        'multipleOf, default, items, uniqueItems, minItems, maxItems, readOnly, deprecated, xSvcType, ' +
        'xSvcPrimary, xSvcUnique, xSvcSearchable, xSvcRelationship, xSvcEnumMetadata, xSvcPresentation, oneOf, ' +
        'properties.',
    ],
    [
      'a keyword of another type',
      { name: 'A', plural: 'x', properties: { name, a: { type: 'number', minLength: 3 } } },
      '/properties/a/minLength: Does not apply to a number field, which accepts: type, title, description, ' +
        'examples, deprecated, readOnly, xSvcType, xSvcPresentation, default, const, enum, minimum, maximum, ' +
        'multipleOf, xSvcUnique.',
    ],
    [
      'an unknown type',
      { name: 'A', plural: 'x', properties: { name, a: { type: 'text' } } },
      '/properties/a/type: Must be "string", "number", "integer", "boolean", "object", "array", "null", ' +
        '"date" or an array.',
    ],
    [
      'a JSON type of another field type',
      { name: 'A', plural: 'x', properties: { name, a: { type: 'string', xSvcType: 'currency' } } },
      '/properties/a/type: A currency field has the JSON type number or integer, with or without null.',
    ],
    [
      'two primary fields',
      { name: 'A', plural: 'x', properties: { name, b: name } },
      '/properties: One field has xSvcPrimary: true; here name, b have.',
    ],
    [
      'a primary number',
      { name: 'A', plural: 'x', properties: { a: { type: 'number', xSvcPrimary: true } } },
      '/properties/a/xSvcPrimary: Does not apply to a number field, which accepts: type, title, description, ' +
        'examples, deprecated, readOnly, xSvcType, xSvcPresentation, default, const, enum, minimum, maximum, ' +
        'multipleOf, xSvcUnique.',
    ],
    [
      'no select without options',
      { name: 'A', plural: 'x', properties: { name, a: { xSvcType: 'select' } } },
      '/properties/a/enum: A select requires options.',
    ],
    [
      'an option twice',
      { name: 'A', plural: 'x', properties: { name, a: { xSvcType: 'select', enum: ['a', 'a'] } } },
      '/properties/a/enum/1: This option already exists.',
    ],
    [
      'an option that is no text',
      { name: 'A', plural: 'x', properties: { name, a: { xSvcType: 'select', enum: ['a', 1] } } },
      '/properties/a/enum/1: An option is a text of 1 to 200 characters.',
    ],
    [
      'metadata of no option',
      { name: 'A', plural: 'x', properties: { name, a: { enum: ['a'], xSvcEnumMetadata: { b: {} } } } },
      '/properties/a/xSvcEnumMetadata/b: Is not an option of "enum".',
    ],
    [
      'a default that is no value',
      { name: 'A', plural: 'x', properties: { name, a: { type: 'number', minimum: 3, default: 2 } } },
      '/properties/a/default: Must be at least 3.',
    ],
    [
      'a default of nothing',
      { name: 'A', plural: 'x', properties: { name, a: { type: 'string', default: null } } },
      '/properties/a/default: Must not be empty.',
    ],
    [
      'a default of a unique field',
      { name: 'A', plural: 'x', properties: { name, a: { type: 'string', xSvcUnique: true, default: 'a' } } },
      '/properties/a/default: A unique field has no default: no two records share a value.',
    ],
    [
      'a choice in another form',
      { name: 'A', plural: 'x', properties: { name, a: { xSvcType: 'timestamp', const: '2026-01-01T00:00:00Z' } } },
      '/properties/a/const: Must be written as it is stored: "2026-01-01T00:00:00.000Z".',
    ],
    [
      'bounds the wrong way round',
      { name: 'A', plural: 'x', properties: { name, a: { type: 'number', minimum: 3, maximum: 2 } } },
      '/properties/a/maximum: Must be at least 3, which is minimum.',
    ],
    [
      'a length beyond the type',
      { name: 'A', plural: 'x', properties: { name, a: { xSvcType: 'text', maxLength: 20_000 } } },
      '/properties/a/maxLength: Must be at most 10000.',
    ],
    [
      'a pattern with lookaround',
      { name: 'A', plural: 'x', properties: { name, a: { type: 'string', pattern: '(?=x)y' } } },
      '/properties/a/pattern: Must be a regular expression in the syntax of RE2, without lookaround and back ' +
        'references: error parsing regexp: invalid or unsupported Perl syntax: `(?=`.',
    ],
    [
      'a pattern that costs too much',
      { name: 'A', plural: 'x', properties: { name, a: { type: 'string', pattern: '((a{0,30}){0,30}b{0,100})c' } } },
      '/properties/a/pattern: Is too complex for texts of up to 10000 characters: shorten it, or set a smaller ' +
        'maxLength.',
    ],
    [
      'another format',
      { name: 'A', plural: 'x', properties: { name, a: { xSvcType: 'date', format: 'time' } } },
      '/properties/a/format: A date field has the format "date".',
    ],
    [
      'twins in a collection',
      { name: 'A', plural: 'x', properties: { name, a: { xSvcType: 'labels', uniqueItems: false } } },
      '/properties/a/uniqueItems: Must be true: items of a collection are unique.',
    ],
    [
      'items that are numbers',
      { name: 'A', plural: 'x', properties: { name, a: { xSvcType: 'labels', items: { type: 'number' } } } },
      '/properties/a/items/type: The items are texts: "string".',
    ],
    [
      'a reference to nothing',
      { name: 'A', plural: 'x', properties: { name, a: { xSvcType: 'reference' } } },
      '/properties/a/xSvcRelationship: A reference requires {kind, entity, field}.',
    ],
    [
      'a relationship to no object',
      {
        name: 'A',
        plural: 'x',
        properties: { name, a: { xSvcRelationship: { kind: 'many-to-one', entity: 'compani', field: 'as' } } },
      },
      '/properties/a/xSvcRelationship/entity: There is no object "compani". Did you mean "company"?',
    ],
    [
      'a way back that is taken',
      {
        name: 'A',
        plural: 'x',
        properties: { name, a: { xSvcRelationship: { kind: 'many-to-one', entity: 'company', field: 'people' } } },
      },
      '/properties/a/xSvcRelationship/field: company already has a field "people".',
    ],
    [
      'references in read-only records',
      {
        name: 'A',
        plural: 'x',
        properties: { name, a: { xSvcRelationship: { kind: 'one-to-many', entity: 'user', field: 'a_id' } } },
      },
      '/properties/a/xSvcRelationship/kind: user records are read-only, so the relationship is many-to-one ' +
        'or many-to-many.',
    ],
    [
      'a field that leads to itself',
      {
        name: 'A',
        plural: 'x',
        properties: { name, a: { xSvcRelationship: { kind: 'many-to-many', entity: 'c_a', field: 'a' } } },
      },
      '/properties/a/xSvcRelationship/field: A relationship of an object with itself requires a second field for ' +
        'the other direction.',
    ],
    [
      'ends that do not fit',
      {
        name: 'A',
        plural: 'x',
        properties: {
          name,
          a: { xSvcRelationship: { kind: 'many-to-one', entity: 'c_a', field: 'b' } },
          b: { type: 'string' },
        },
      },
      '/properties/a/xSvcRelationship/field: Must lead to a field that leads back: ' +
        '{"kind":"one-to-many","entity":"c_a","field":"a"}.',
    ],
  ])('%s', async ([_what, body, fault]) => {
    if (fault.includes('c_twice')) await post({ name: 'Twice', plural: 'x' })
    await app.events()
    const before = (await api.get(schemasPath)).body
    const answer = await post(body)
    expect(faultsOf(answer)).toContain(fault)
    expect([answer.status, new Set(answer.body.errors.map(({ code }: Json) => code))]).toEqual([
      422,
      new Set(['invalid_body']),
    ])
    expect((await api.get(schemasPath)).body).toEqual(before)
    expect(await app.events()).toEqual([])
  })

  test('more than 500 fields', async () => {
    const properties = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`f${index}`, { type: 'string' }]))
    expect(faultsOf(await post({ name: 'Wide', plural: 'x', properties }))).toEqual([
      '/properties: An object has at most 500 fields; these are 501.',
    ])
    delete properties['f0']
    expect((await post({ name: 'Wide', plural: 'x', properties })).status).toBe(201)
  })
})
