import { kindOfName } from '../db/column-kinds.ts'
import { isoTime } from './clock.ts'

/** A resource (spec §2). Its type stays literal, so that an answer made of it fits its endpoint without annotations. */
export const resource = <Type extends string, Attributes extends object>(
  type: Type,
  id: string,
  attributes: Attributes,
) => ({ type, id, attributes })

/** The schema of a resource in the contract. */
type ResourceSchema<Type extends string, Attributes> = {
  readonly shape: {
    readonly type: { readonly value: Type }
    readonly attributes: { readonly shape: Readonly<Record<string, unknown>>; readonly _output: Attributes }
  }
}

/** The column of an attribute: `_created_at` is stored as `created_at`. */
type ColumnOf<Name> = Name extends `_${infer Column}` ? Column : Name

/** The attributes that a row holds: as they are, or as a time in milliseconds. */
type HeldBy<Row, Attributes> = {
  [Name in keyof Attributes]: ColumnOf<Name> extends keyof Row
    ? Row[ColumnOf<Name>] extends Readonly<Attributes[Name]>
      ? Name
      : Row[ColumnOf<Name>] extends number | null
        ? string | Extract<Row[ColumnOf<Name>], null> extends Attributes[Name]
          ? Name
          : never
        : never
    : never
}[keyof Attributes]

type Own<Row, Attributes> = Omit<Required<Attributes>, HeldBy<Row, Attributes>> & Partial<Attributes>

/**
 * Makes the function that presents rows as a resource of the contract: its attributes are the columns of the same
 * names, but for those that are given.
 */
export function presenterOf<Type extends string, Attributes extends object>(
  schema: ResourceSchema<Type, Attributes>,
): <Row extends { readonly id: string }>(
  row: Row,
  own: Own<Row, Attributes>,
) => { type: Type; id: string; attributes: Attributes }
export function presenterOf({ shape: { type, attributes } }: ResourceSchema<string, object>) {
  const columns = Object.keys(attributes.shape).map((name) => {
    const column = name.replace(/^_/, '')
    return { name, column, isTime: kindOfName(column) === 'timestamp' }
  })
  return (row: Readonly<Record<string, unknown>>, own: Readonly<Record<string, unknown>>) => {
    const shown: Record<string, unknown> = {}
    for (const { name, column, isTime } of columns) {
      const value = row[column]
      shown[name] = Object.hasOwn(own, name) ? own[name] : isTime && typeof value === 'number' ? isoTime(value) : value
    }
    return resource(type.value, String(row['id']), shown)
  }
}
