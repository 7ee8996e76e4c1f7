import { describe, expect, test } from 'vitest'
import {
  fieldSchema,
  fieldTypes,
  objectSchemaDocument,
  type FieldTypeName,
  type Keyword,
  type ObjectSchemaDocument,
} from '@kontor/contract'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { changesOf, faultsOf, objectPath, schemasOf } from '../harness/schemas.ts'

const app = await startApp()
const { make, get } = schemasOf(app)
const { put } = changesOf(app)

const name = { type: 'string', xSvcPrimary: true }
const object = await make({ name }, { name: 'Keywords' })

/**
 * Lists the faults of a field of this schema, at a path below it; the plan of a document reports them and changes
 * nothing.
 */
async function fieldFaults(fields: Readonly<Record<string, Json>>): Promise<string[]> {
  const { $id } = await get(object)
  const { body, status } = await app.api.post(`${objectPath(object)}/plan`, {
    body: { $id, properties: { name, ...fields } },
  })
  expect([200, 422]).toContain(status)
  return faultsOf({ body } as never).map((fault) => fault.replace('/properties/', ''))
}

/**
 * The schemas that every keyword of a field refuses, and its messages. A keyword without a case does not compile, and
 * is found below.
 */
const wrong: { readonly [K in Keyword]-?: readonly (readonly [schema: Json, fault: string])[] } = {
  type: [
    [
      { type: 'text' },
      '/type: Must be "string", "number", "integer", "boolean", "object", "array", "null", "date" or an array.',
    ],
    [{ type: [] }, '/type: Must have at least one item.'],
    [
      { type: 'string', xSvcType: 'number' },
      '/type: A number field has the JSON type number or integer, with or without null.',
    ],
    [
      { type: 'string', xSvcType: 'email_addresses' },
      '/type: An email_addresses field has the JSON type object, with or without null.',
    ],
    [{ type: 'null', xSvcType: 'text' }, '/type: A text field has the JSON type string, with or without null.'],
  ],
  title: [
    [{ title: 5 }, '/title: Must be a string.'],
    [{ title: '' }, '/title: Must not be empty.'],
    [{ title: 'x'.repeat(201) }, '/title: Must have at most 200 characters.'],
  ],
  description: [
    [{ description: [] }, '/description: Must be a string.'],
    [{ description: 'x'.repeat(10_001) }, '/description: Must have at most 10000 characters.'],
  ],
  examples: [[{ examples: 'x' }, '/examples: Must be an array.']],
  enum: [
    [{ enum: 'x' }, '/enum: Must be an array.'],
    [{ enum: [] }, '/enum: Must have at least one item.'],
    [{ xSvcType: 'select' }, '/enum: A select requires options.'],
    [{ xSvcType: 'multi_select' }, '/enum: A select requires options.'],
    [{ xSvcType: 'select', enum: ['a', 'a'] }, '/enum/1: This option already exists.'],
    [{ xSvcType: 'select', enum: [''] }, '/enum/0: An option is a text of 1 to 200 characters.'],
    [{ xSvcType: 'number', enum: [1, 'a'] }, '/enum/1: Must be a number.'],
  ],
  const: [
    [{ xSvcType: 'text', const: null }, '/const: Must not be empty.'],
    [{ xSvcType: 'number', const: 'a' }, '/const: Must be a number.'],
    [{ xSvcType: 'text', maxLength: 1, const: 'ab' }, '/const: Must be at most 1 characters.'],
  ],
  format: [
    [
      { type: 'string', format: 'phone' },
      '/format: Must be one of "date", "date-time", "time", "email", "hostname", "ipv4", "ipv6", "uri", "uuid".',
    ],
    [{ xSvcType: 'date', format: 'date-time' }, '/format: A date field has the format "date".'],
    [{ xSvcType: 'url', format: 'email' }, '/format: A url field has the format "uri".'],
  ],
  pattern: [
    [{ type: 'string', pattern: '' }, '/pattern: Must not be empty.'],
    [
      { type: 'string', pattern: '(a' },
      '/pattern: Must be a regular expression in the syntax of RE2, without lookaround and back references: ' +
        'error parsing regexp: missing closing ): `(a`.',
    ],
    [
      { type: 'string', pattern: '(a)\\1' },
      '/pattern: Must be a regular expression in the syntax of RE2, without lookaround and back references: ' +
        'error parsing regexp: invalid escape sequence: `\\1`.',
    ],
  ],
  minLength: [
    [{ type: 'string', minLength: -1 }, '/minLength: Must be at least 0.'],
    [{ type: 'string', minLength: 1.5 }, '/minLength: Must be a whole number.'],
    [{ type: 'string', minLength: 10_001 }, '/minLength: Must be at most 10000.'],
  ],
  maxLength: [
    [{ type: 'string', maxLength: '3' }, '/maxLength: Must be a whole number.'],
    [{ type: 'string', minLength: 4, maxLength: 3 }, '/maxLength: Must be at least 4, which is minLength.'],
  ],
  minimum: [[{ type: 'number', minimum: '3' }, '/minimum: Must be a number.']],
  maximum: [
    [{ type: 'number', maximum: null }, '/maximum: Must be a number.'],
    [{ type: 'number', minimum: 4, maximum: 3 }, '/maximum: Must be at least 4, which is minimum.'],
  ],
  multipleOf: [
    [{ type: 'number', multipleOf: 0 }, '/multipleOf: Must be greater than 0.'],
    [{ type: 'number', multipleOf: 'x' }, '/multipleOf: Must be a number.'],
  ],
  default: [
    [{ xSvcType: 'text', default: null }, '/default: Must not be empty.'],
    [{ xSvcType: 'select', enum: ['a'], default: 'b' }, '/default: Must be one of: a.'],
    [
      { xSvcType: 'text', xSvcUnique: true, default: 'a' },
      '/default: A unique field has no default: no two records share a value.',
    ],
  ],
  items: [
    [{ xSvcType: 'labels', items: 'string' }, '/items: Must be an object.'],
    [
      { xSvcType: 'labels', items: { xSvcType: 'text' } },
      '/items/xSvcType: Unknown member "xSvcType". An item takes: type, title, description, examples, enum, ' +
        'const, format, pattern, minLength, maxLength, minimum, maximum, multipleOf.',
    ],
    [{ xSvcType: 'labels', items: { type: 'number' } }, '/items/type: The items are texts: "string".'],
    [{ xSvcType: 'labels', items: { minimum: 3 } }, '/items/minimum: Applies to numbers, and the items are texts.'],
    [
      { xSvcType: 'labels', items: { minLength: 4, maxLength: 3 } },
      '/items/maxLength: Must be at least 4, which is minLength.',
    ],
  ],
  uniqueItems: [
    [{ type: 'array', uniqueItems: 'yes' }, '/uniqueItems: Must be true or false.'],
    [{ xSvcType: 'labels', uniqueItems: false }, '/uniqueItems: Must be true: items of a collection are unique.'],
  ],
  minItems: [
    [{ type: 'array', minItems: -1 }, '/minItems: Must be at least 0.'],
    [{ xSvcType: 'labels', minItems: 1001 }, '/minItems: Must be at most 1000.'],
  ],
  maxItems: [
    [{ type: 'array', maxItems: 0.5 }, '/maxItems: Must be a whole number.'],
    [{ xSvcType: 'labels', minItems: 3, maxItems: 2 }, '/maxItems: Must be at least 3, which is minItems.'],
  ],
  readOnly: [[{ readOnly: 'yes' }, '/readOnly: Must be true or false.']],
  deprecated: [[{ deprecated: 1 }, '/deprecated: Must be true or false.']],
  xSvcType: [[{ xSvcType: 'money' }, `/xSvcType: Must be one of ${fieldTypes.map((type) => `"${type}"`).join(', ')}.`]],
  xSvcPrimary: [[{ xSvcPrimary: 'yes' }, '/xSvcPrimary: Must be true or false.']],
  xSvcUnique: [[{ xSvcUnique: 'yes' }, '/xSvcUnique: Must be true or false.']],
  xSvcSearchable: [[{ xSvcSearchable: 'yes' }, '/xSvcSearchable: Must be true or false.']],
  xSvcRelationship: [
    [{ xSvcRelationship: 'person' }, '/xSvcRelationship: Must be an object.'],
    [
      { xSvcRelationship: { kind: 'one', entity: 'person', field: 'x' } },
      '/xSvcRelationship/kind: Must be one of "many-to-one", "one-to-many", "many-to-many", "one-to-one".',
    ],
    [
      { xSvcRelationship: { kind: 'many-to-one', field: 'x' } },
      '/xSvcRelationship/entity: Is missing; must be a string.',
    ],
    [
      { xSvcRelationship: { kind: 'many-to-one', entity: 'person', field: '_x' } },
      '/xSvcRelationship/field: Names that begin with "_" are reserved for system attributes.',
    ],
    [
      { xSvcRelationship: { kind: 'many-to-one', entity: 'person', field: 'x', inverse: 'y' } },
      '/xSvcRelationship/inverse: Unknown member "inverse". A relationship takes: kind, entity, field.',
    ],
    [{ xSvcType: 'reference' }, '/xSvcRelationship: A reference requires {kind, entity, field}.'],
  ],
  xSvcEnumMetadata: [
    [{ enum: ['a'], xSvcEnumMetadata: [] }, '/xSvcEnumMetadata: Must be an object.'],
    [
      { enum: ['a'], xSvcEnumMetadata: { a: { colour: 'red' } } },
      '/xSvcEnumMetadata/a/colour: Unknown member "colour". An option takes: id, rank, color.',
    ],
    [{ enum: ['a'], xSvcEnumMetadata: { b: {} } }, '/xSvcEnumMetadata/b: Is not an option of "enum".'],
  ],
  xSvcPresentation: [
    [{ xSvcPresentation: 5 }, '/xSvcPresentation: Must be an object.'],
    [
      { xSvcPresentation: { hidden: true } },
      '/xSvcPresentation/hidden: Unknown member "hidden". The presentation of a field takes: rank, hiddenInDetails.',
    ],
  ],
}

test('every keyword of a field has its cases', () => {
  expect(Object.keys(wrong).toSorted()).toEqual(Object.keys(fieldSchema.shape).toSorted())
})

describe.each(Object.entries(wrong))('%s', (_keyword, cases) => {
  test.for(cases)('of %j is refused', async ([schema, fault]) => {
    expect(await fieldFaults({ f: schema })).toEqual([`f${fault}`])
  })
})

/** A value of each keyword that some field takes. */
const sample: { readonly [K in Keyword]-?: Json } = {
  type: ['null', 'string'],
  title: 'T',
  description: 'D',
  examples: ['x'],
  enum: ['a'],
  const: 'a',
  format: 'date',
  pattern: 'a',
  minLength: 1,
  maxLength: 5,
  minimum: 1,
  maximum: 5,
  multipleOf: 1,
  default: 'a',
  items: { maxLength: 3 },
  uniqueItems: true,
  minItems: 1,
  maxItems: 5,
  readOnly: true,
  deprecated: true,
  xSvcType: 'text',
  xSvcPrimary: true,
  xSvcUnique: true,
  xSvcSearchable: true,
  xSvcRelationship: { kind: 'many-to-one', entity: 'person', field: 'back' },
  xSvcEnumMetadata: {},
  xSvcPresentation: { rank: 1 },
}

const common: readonly Keyword[] = [
  'type',
  'title',
  'description',
  'examples',
  'deprecated',
  'readOnly',
  'xSvcType',
  'xSvcPresentation',
]
const text: readonly Keyword[] = [
  'default',
  'const',
  'enum',
  'format',
  'pattern',
  'minLength',
  'maxLength',
  'xSvcSearchable',
]
const number: readonly Keyword[] = ['default', 'const', 'enum', 'minimum', 'maximum', 'multipleOf']
const time: readonly Keyword[] = ['default', 'const', 'enum', 'format', 'xSvcUnique']
const collection: readonly Keyword[] = [
  'default',
  'minItems',
  'maxItems',
  'uniqueItems',
  'xSvcSearchable',
  'items',
  'xSvcUnique',
]

/** The keywords that each type accepts beside those of all. A type without a line does not compile. */
const taken: Readonly<Record<FieldTypeName, readonly Keyword[]>> = {
  text: [...text, 'xSvcUnique', 'xSvcPrimary'],
  long_text: text,
  url: [...text, 'xSvcUnique', 'xSvcPrimary'],
  rich_text: ['default', 'xSvcSearchable'],
  number: [...number, 'xSvcUnique'],
  currency: [...number, 'xSvcUnique'],
  rating: number,
  checkbox: ['default', 'const', 'enum'],
  date: time,
  timestamp: time,
  select: ['default', 'const', 'enum', 'xSvcEnumMetadata', 'xSvcSearchable', 'xSvcPrimary'],
  multi_select: ['default', 'enum', 'minItems', 'maxItems', 'uniqueItems', 'xSvcSearchable', 'xSvcEnumMetadata'],
  email_addresses: collection,
  phone_numbers: collection,
  domains: collection,
  labels: collection,
  participants: ['default', 'minItems', 'maxItems', 'uniqueItems', 'xSvcSearchable'],
  location: ['default', 'xSvcSearchable'],
  person_name: ['default', 'xSvcPrimary', 'xSvcSearchable'],
  reference: ['xSvcRelationship'],
  user_reference: [],
  json: ['default', 'const', 'enum', 'items', 'minItems', 'maxItems', 'uniqueItems'],
}

test.for(fieldTypes)('a field of type %s takes what applies to it, and says so of the rest', async (type) => {
  const fields = Object.fromEntries(
    Object.entries(sample).map(([keyword, value]) => [`f_${keyword}`, { [keyword]: value, xSvcType: type }]),
  )
  const faults = await fieldFaults(fields)
  const allowed = [...common, ...taken[type]]
  const refused = (Object.keys(sample) as Keyword[]).filter((keyword) => !allowed.includes(keyword))
  const told = faults.filter((fault) => fault.includes('Does not apply')).map((fault) => fault.replace(/^f_\w+\//, ''))
  expect(new Set(told.map((fault) => fault.split(':')[0]))).toEqual(new Set(refused))
  for (const fault of told) {
    const [, article, list] = /: Does not apply to (an?) \w+ field, which accepts: (.*)\.$/.exec(fault) ?? []
    expect(article).toBe(type.startsWith('e') ? 'an' : 'a')
    expect(list?.split(', ').toSorted()).toEqual(allowed.toSorted())
  }
})

/** The same for the keywords of a document. */
const wrongOfDocument: {
  readonly [K in keyof ObjectSchemaDocument]-?: readonly (readonly [value: Json, ...faults: string[]])[]
} = {
  $schema: [
    ['http://json-schema.org/draft-07/schema#', '/$schema: Must be "https://json-schema.org/draft/2020-12/schema".'],
  ],
  $id: [
    [5, '/$id: Must be a string.'],
    [
      'https://x.example/schemas/entities/person',
      '/$id: Must end in /schemas/entities/c_keywords, the object in the path.',
    ],
  ],
  title: [
    [5, '/title: Must be a string.'],
    ['Keywords', '/title: Must be "c_keywords", the object in the path; the display name is in xSvcLabel.'],
  ],
  type: [['array', '/type: Must be "object".']],
  xSvcNamespace: [['entities', '/xSvcNamespace: Must be "objects".']],
  xSvcLabel: [
    ['Keywords', '/xSvcLabel: Must be an object.'],
    [{ singular: '' }, '/xSvcLabel/singular: Must not be empty.', '/xSvcLabel/plural: Is missing; must be a string.'],
    [
      { singular: 'a', plural: 'b', few: 'c' },
      '/xSvcLabel/few: Unknown member "few". A label takes: singular, plural.',
    ],
  ],
  xSvcAIDescription: [[5, '/xSvcAIDescription: Must be a string.']],
  description: [[5, '/description: Must be a string.']],
  deprecated: [['yes', '/deprecated: Must be true or false.']],
  properties: [
    [[], '/properties: Must be an object.'],
    [{ name: 5 }, '/properties/name: Must be an object.'],
    [{}, '/properties: One field has xSvcPrimary: true; here none has.'],
    [
      { name, 'no name': {} },
      '/properties/no name: The name of a field has up to 63 letters, digits and "_", and begins with a letter.',
    ],
  ],
  required: [
    ['name', '/required: Must be an array.'],
    [[5], '/required/0: Must be a string.'],
    [['nothing'], '/required/0: There is no such field in "properties".'],
  ],
  readOnly: [['yes', '/readOnly: Must be true or false.']],
  xSvcAccess: [
    ['edit', '/xSvcAccess: Must be an object.'],
    [{ default: 'manage' }, '/xSvcAccess/default: Must be one of "none", "view", "comment", "edit".'],
    [{ default: 'edit', members: 'view' }, '/xSvcAccess/members: Unknown member "members". Access takes: default.'],
  ],
  xSvcPresentation: [
    [5, '/xSvcPresentation: Must be an object.'],
    [{ icon: 5 }, '/xSvcPresentation/icon: Must be a string.'],
    [
      { hiddenInDetails: true },
      '/xSvcPresentation/hiddenInDetails: Unknown member "hiddenInDetails". The presentation of an object ' +
        'takes: rank, icon, backgroundColor.',
    ],
  ],
}

test('every keyword of a document has its cases', () => {
  expect(Object.keys(wrongOfDocument).toSorted()).toEqual(Object.keys(objectSchemaDocument.shape).toSorted())
})

describe.each(Object.entries(wrongOfDocument))('%s of a document', (keyword, cases) => {
  test.for(cases)('as %j is refused', async ([value, ...faults]) => {
    const answer = await put(object, { ...(await get(object)), [keyword]: value })
    expect([answer.status, ...faultsOf(answer)]).toEqual([422, ...faults])
  })
})
