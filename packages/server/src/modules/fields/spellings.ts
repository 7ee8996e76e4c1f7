import type { FieldSchema, NewFieldSchema } from '@kontor/contract'

type Path = readonly (string | number)[]
type Report = (path: Path, detail: string) => void

/** The path of the options in the alternative form of a multi-select. */
const nestedOptions = ['properties', 'items', 'items', 'enum'] as const

const isToMany = ({ xSvcRelationship: to }: NewFieldSchema): boolean =>
  to?.kind === 'one-to-many' || to?.kind === 'many-to-many'

const saysDate = ({ type }: NewFieldSchema): boolean => [type ?? []].flat().includes('date')

/** A field in canonical form, its members in the order in which they were sent (docs/decisions/0060). */
export function canonicalField(sent: NewFieldSchema): FieldSchema {
  const type = saysDate(sent) ? 'date' : sent.properties === undefined ? undefined : 'multi_select'
  const members = Object.entries(sent).flatMap(([keyword, value]): [string, unknown][] => {
    if (keyword === 'oneOf') return [['type', ['array', 'null']]]
    if (keyword === 'type') return [['type', withoutDate(sent.type)]]
    return keyword === 'properties' ? optionsOf(sent) : [[keyword, value]]
  })
  return Object.fromEntries([
    ...members,
    ...(type !== undefined && sent.xSvcType === undefined ? [['xSvcType', type]] : []),
  ]) as FieldSchema
}

const withoutDate = (type: NewFieldSchema['type']): unknown =>
  Array.isArray(type) ? type.map(withoutDate) : type === 'date' ? 'string' : type

function optionsOf({ properties }: NewFieldSchema): [string, unknown][] {
  const { type: _type, items, ...bounds } = properties?.items ?? {}
  return [['enum', items?.enum], ...Object.entries(bounds)]
}

/** Reports where a field states something twice, or in a form that belongs to another type. */
export function checkSpelling(sent: NewFieldSchema, report: Report): void {
  const { oneOf, type, properties, xSvcType } = sent
  if (oneOf !== undefined) {
    if (!isToMany(sent))
      report(
        ['oneOf'],
        'Only the to-many side of a relationship can have this form: it requires xSvcRelationship with the kind ' +
          'one-to-many or many-to-many.',
      )
    if (
      oneOf.filter((one) => one.$ref !== undefined && one.type === undefined).length !== 1 ||
      oneOf.some((one) => one.$ref === undefined && one.type === undefined)
    ) {
      report(['oneOf'], 'Must be {"$ref":"…/schemas/core/collectionOfIds"}, with or without {"type":"null"}.')
    }
    if (type !== undefined) report(['type'], '"oneOf" already defines the type of this field.')
  }
  if (saysDate(sent)) {
    if ([type ?? []].flat().some((one) => one !== 'date' && one !== 'null'))
      report(['type'], '"date" can only be combined with "null".')
    if (xSvcType !== undefined && xSvcType !== 'date')
      report(['type'], `"date" requires xSvcType: date, but it is ${xSvcType}.`)
  }
  if (properties === undefined) return
  if (xSvcType !== undefined && xSvcType !== 'multi_select')
    report(['properties'], `Only the options of a multi-select can have this form, but xSvcType is ${xSvcType}.`)
  for (const keyword of ['enum', 'minItems', 'maxItems', 'uniqueItems'] as const) {
    if (sent[keyword] !== undefined && (keyword === 'enum' || properties.items[keyword] !== undefined))
      report([keyword], 'Is already in "properties".')
  }
}

/** Maps a path in a canonical field to the path in what was sent. */
export function placeAsSent(sent: NewFieldSchema, [first, ...rest]: Path): Path {
  if (first === 'type' && sent.oneOf !== undefined) return ['oneOf']
  if (sent.properties !== undefined && sent.enum === undefined && first === 'enum') return [...nestedOptions, ...rest]
  return first === undefined ? [] : [first, ...rest]
}
