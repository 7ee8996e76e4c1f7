import { isDeepStrictEqual } from 'node:util'
import type { FieldSchema } from '@kontor/contract'
import { defined } from '../../../lib/guards.ts'
import type { SchemaDocument, SchemaKeys } from '../../schemas/index.ts'
import { Conflict, merged } from './merge.ts'

/** A version of an object. */
export type Version = { readonly document: SchemaDocument; readonly keys: SchemaKeys }

/** A whole document, with the former names of the fields that it renames. */
export type WantedDocument = { readonly document: SchemaDocument; readonly renames: ReadonlyMap<string, string> }

/** A document with its fields by what they are, whatever their names: new ones alone are known by these. */
type DocumentParts = {
  readonly fields: Readonly<Record<string, { readonly name: string; readonly schema: FieldSchema }>>
  readonly required: readonly string[]
  readonly keywords: Omit<SchemaDocument, '$schema' | '$id' | 'properties' | 'required'>
}

/**
 * A document that was written for the version `base`, as it is meant for `current`: what it leaves as it was follows
 * `current`, and what it changes is changed there. Throws `Conflict` where both have changed the same.
 */
export function rebased(base: Version, wanted: WantedDocument, current: Version): WantedDocument {
  const known = new Set(Object.values(base.keys.fields).map(({ key }) => key))
  const ofVersion =
    ({ keys }: Version) =>
    (name: string): string => {
      const key = keys.fields[name]?.key
      return key !== undefined && known.has(key) ? key : `new:${name}`
    }
  const renamed = new Set(wanted.renames.values())
  const ofWanted = (name: string): string => {
    const origin = wanted.renames.get(name) ?? (renamed.has(name) ? undefined : name)
    return base.keys.fields[origin ?? '']?.key ?? `new:${name}`
  }
  const sides = {
    base: told(base.document, ofVersion(base)),
    mine: told(wanted.document, ofWanted),
    theirs: told(current.document, ofVersion(current)),
  }
  const { fields, required, keywords } = mergedOf(sides)
  const names = Object.values(fields).map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) < index)
  if (twice !== undefined) throw new Conflict(['properties', twice])
  const properties = Object.fromEntries(
    orderOf(sides, fields).map((id) => [defined(fields[id]).name, defined(fields[id]).schema]),
  )
  const { $schema, $id } = wanted.document
  const document = {
    ...($schema !== undefined && { $schema }),
    ...($id !== undefined && { $id }),
    ...keywords,
    properties,
    ...(required.length > 0 && { required: required.map((id) => defined(fields[id]).name) }),
  }
  const renames = Object.entries(fields).flatMap(([id, { name }]): [string, string][] => {
    const former = sides.theirs.fields[id]?.name
    return former === undefined || former === name ? [] : [[name, former]]
  })
  return { document, renames: new Map(renames) }
}

/** The fields stand for themselves; the members that name the document are those of who sends it. */
function told(document: SchemaDocument, idOf: (name: string) => string): DocumentParts {
  const { $schema: _schema, $id: _id, properties, required = [], ...keywords } = document
  const fields = Object.entries(properties).map(([name, schema]) => [idOf(name), { name, schema }] as const)
  return {
    fields: Object.fromEntries(fields),
    required: required.map(idOf),
    keywords,
  }
}

type Sides = Readonly<Record<'base' | 'mine' | 'theirs', DocumentParts>>

function mergedOf(sides: Sides): DocumentParts {
  try {
    const all = merged(sides) as DocumentParts
    // An entry of `required` is removed with its field.
    return { ...all, required: all.required.filter((id) => all.fields[id] !== undefined) }
  } catch (error) {
    if (!(error instanceof Conflict)) throw error
    const [part, id = '', ...rest] = error.path
    const name = sides.base.fields[id]?.name ?? sides.mine.fields[id]?.name ?? id
    throw new Conflict(
      part === 'fields'
        ? ['properties', name, ...rest.slice(1)]
        : part === 'required'
          ? error.path
          : error.path.slice(1),
    )
  }
}

/**
 * The order of who has changed it, of who sends the document where both have; what only the other has is put into it.
 */
function orderOf({ base, mine, theirs }: Sides, fields: DocumentParts['fields']): string[] {
  const [first, second] = isMoved(base, mine) ? [mine, theirs] : [theirs, mine]
  const order = Object.keys(first.fields)
  const others = Object.keys(second.fields)
  others.forEach((id, index) => {
    if (order.includes(id)) return
    // Items that the other change appends come last here too.
    const isLast = others.slice(index).every((one) => base.fields[one] === undefined)
    order.splice(isLast ? order.length : order.indexOf(others[index - 1] ?? '') + 1, 0, id)
  })
  return order.filter((id) => fields[id] !== undefined)
}

/** Returns whether the fields that a side has kept stand in another order. */
function isMoved(base: DocumentParts, side: DocumentParts): boolean {
  const before = Object.keys(base.fields)
  const kept = Object.keys(side.fields).filter((id) => base.fields[id] !== undefined)
  return !isDeepStrictEqual(
    kept,
    before.filter((id) => side.fields[id] !== undefined),
  )
}
