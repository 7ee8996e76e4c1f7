import { isDeepStrictEqual } from 'node:util'
import { isBlank, type FieldSchema, type Keyword } from '@kontor/contract'
import { keysOf } from '../../../lib/guards.ts'
import { compileField, typeOf } from '../../objects/index.ts'
import { compilePattern, fieldKeywords, itemLengthMax, itemsMax, type Field } from '../../fields/index.ts'

/** Reports a fault in a field's schema, at a path below it. */
export type SchemaReport = (path: readonly (string | number)[], detail: string) => void

/** Reports every fault in the schema of one field, except those that depend on its object or on other objects. */
export function checkField(name: string, schema: FieldSchema, report: SchemaReport): void {
  let faulty = false
  const note: SchemaReport = (path, detail) => {
    faulty = true
    report(path, detail)
  }
  checkKeywords(schema, note)
  checkJsonType(schema, note)
  checkBounds(schema, note)
  checkFormat(schema, note)
  checkPattern(schema, note)
  checkFlags(schema, note)
  // Values can be checked only against a valid schema.
  if (!faulty) checkValues(compileField(name, schema, {}), note)
}

/** A flag that is off counts as absent, whatever the type is. */
const isSaid = (schema: FieldSchema, keyword: Keyword): boolean =>
  schema[keyword] !== undefined && schema[keyword] !== false

function checkKeywords(schema: FieldSchema, report: SchemaReport): void {
  const { name, keywords } = typeOf(schema)
  const allowed = fieldKeywords(typeOf(schema))
  for (const keyword of keysOf(schema)) {
    if (isSaid(schema, keyword) && !allowed.includes(keyword))
      report([keyword], `Does not apply to ${aField(name)}, which accepts: ${allowed.join(', ')}.`)
  }
  if (name === 'reference' && schema.xSvcRelationship === undefined)
    report(['xSvcRelationship'], 'A reference requires {kind, entity, field}.')
  if ((name === 'select' || name === 'multi_select') && schema.enum === undefined)
    report(['enum'], 'A select requires options.')
  if (schema.items !== undefined && keywords.includes('items') && name !== 'json') {
    for (const keyword of ['minimum', 'maximum', 'multipleOf'] as const)
      if (schema.items[keyword] !== undefined)
        report(['items', keyword], 'Applies to numbers, and the items are texts.')
  }
}

const aField = (type: string): string => `${type.startsWith('e') ? 'an' : 'a'} ${type} field`

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const isToMany = ({ xSvcRelationship: to }: FieldSchema): boolean =>
  to?.kind === 'one-to-many' || to?.kind === 'many-to-many'

function checkJsonType(schema: FieldSchema, report: SchemaReport): void {
  const type = typeOf(schema)
  const allowed = schema.xSvcRelationship === undefined ? type.jsonTypes : isToMany(schema) ? ['array'] : ['string']
  const named = [schema.type ?? []].flat().filter((one) => one !== 'null')
  const said = schema.type !== undefined
  if (said && (named.length === 0 || named.some((one) => !allowed.includes(one))))
    report(
      ['type'],
      `${capitalised(aField(type.name))} has the JSON type ${allowed.join(' or ')}, with or without null.`,
    )
  const items = [schema.items?.type ?? []].flat()
  if (type.name !== 'json' && items.some((one) => one !== 'string'))
    report(['items', 'type'], 'The items are texts: "string".')
}

function checkBounds(schema: FieldSchema, report: SchemaReport): void {
  const { lengthMax, comparedAs } = typeOf(schema)
  const { maxLength, maxItems } = schema
  checkOrder(schema, ['minLength', 'maxLength'], [], report)
  checkOrder(schema, ['minimum', 'maximum'], [], report)
  checkOrder(schema, ['minItems', 'maxItems'], [], report)
  checkOrder(schema.items ?? {}, ['minLength', 'maxLength'], ['items'], report)
  checkOrder(schema.items ?? {}, ['minimum', 'maximum'], ['items'], report)
  if (lengthMax !== undefined && Math.max(maxLength ?? 0, schema.minLength ?? 0) > lengthMax)
    report([maxLength === undefined ? 'minLength' : 'maxLength'], `Must be at most ${lengthMax}.`)
  if (comparedAs === 'items' && Math.max(maxItems ?? 0, schema.minItems ?? 0) > itemsMax)
    report([maxItems === undefined ? 'minItems' : 'maxItems'], `Must be at most ${itemsMax}.`)
  if (comparedAs === 'items' && schema.uniqueItems === false)
    report(['uniqueItems'], 'Must be true: items of a collection are unique.')
}

type Bounds = { readonly [bound in Keyword]?: unknown }

function checkOrder(
  schema: Bounds,
  [least, most]: readonly [Keyword, Keyword],
  at: readonly string[],
  report: SchemaReport,
): void {
  const [from, to] = [schema[least], schema[most]]
  if (typeof from === 'number' && typeof to === 'number' && from > to)
    report([...at, most], `Must be at least ${from}, which is ${least}.`)
}

const formatOf: Readonly<Record<string, string>> = { date: 'date', timestamp: 'date-time', url: 'uri' }

function checkFormat(schema: FieldSchema, report: SchemaReport): void {
  const { name } = typeOf(schema)
  const only = formatOf[name]
  if (schema.format !== undefined && only !== undefined && schema.format !== only)
    report(['format'], `${capitalised(aField(name))} has the format "${only}".`)
}

function checkPattern(schema: FieldSchema, report: SchemaReport): void {
  const check = (
    { pattern, maxLength }: { pattern?: string | undefined; maxLength?: number | undefined },
    lengthMax: number,
    at: readonly string[],
  ) => {
    const compiled =
      pattern === undefined ? undefined : compilePattern(pattern, Math.min(maxLength ?? lengthMax, lengthMax))
    if (compiled !== undefined && 'fault' in compiled) report([...at, 'pattern'], compiled.fault)
  }
  check(schema, typeOf(schema).lengthMax ?? itemLengthMax, [])
  check(schema.items ?? {}, itemLengthMax, ['items'])
}

function checkFlags(schema: FieldSchema, report: SchemaReport): void {
  if (schema.xSvcUnique === true && schema.default !== undefined)
    report(['default'], 'A unique field has no default: no two records share a value.')
}

function checkValues(field: Field, report: SchemaReport): void {
  const { schema, type } = field
  const { enum: choices = [] } = schema
  // A choice is checked not against the choices, but against all other keywords.
  const unchosen = compileField(field.name, { ...schema, const: undefined, enum: undefined, xSvcType: type.name }, {})
  if (type.name === 'select' || type.name === 'multi_select') checkOptions(choices, report)
  else choices.forEach((choice, index) => checkStored(unchosen, choice, ['enum', index], report))
  for (const option of Object.keys(schema.xSvcEnumMetadata ?? {})) {
    if (schema.enum?.includes(option) !== true) report(['xSvcEnumMetadata', option], 'Is not an option of "enum".')
  }
  if (schema.const !== undefined) checkStored(unchosen, schema.const, ['const'], report)
  if (schema.default !== undefined) readValue(field, schema.default, ['default'], report)
}

const optionLengthMax = 200

function checkOptions(options: readonly unknown[], report: SchemaReport): void {
  options.forEach((option, index) => {
    if (typeof option !== 'string' || isBlank(option) || option.length > optionLengthMax)
      report(['enum', index], `An option is a text of 1 to ${optionLengthMax} characters.`)
    else if (options.indexOf(option) < index) report(['enum', index], 'This option already exists.')
  })
}

/** Checks a value of the field in the form in which it is stored and compared. */
function checkStored(field: Field, value: unknown, at: readonly (string | number)[], report: SchemaReport): void {
  const stored = readValue(field, value, at, report)
  if (stored !== undefined && !isDeepStrictEqual(stored, value))
    report(at, `Must be written as it is stored: ${JSON.stringify(stored)}.`)
}

/** Reads a value as a request would; undefined after a report. */
function readValue(field: Field, value: unknown, at: readonly (string | number)[], report: SchemaReport): unknown {
  let faulty = false
  const note = (detail: string, below: readonly (string | number)[] = []) => {
    faulty = true
    report([...at, ...below], detail)
  }
  const stored = value === null ? null : field.type.parse(value, field, note, { newId: () => '' })
  if (stored === null) note('Must not be empty.')
  else if (stored !== undefined) field.checks.forEach((check) => check(stored, note))
  return faulty ? undefined : stored
}
