import type { Json } from '../../harness/http.ts'
import type { Field } from './fields.ts'
import { byBytes, comparedOf } from './values.ts'

export type Sort = { readonly field: Field; readonly dir: 'ASC' | 'DESC' }

/** Texts are sorted by so many characters. */
const sortedBy = 128

function sortedValue(field: Field, attributes: Json): string | number | null {
  const compared = comparedOf(field, attributes)
  const value = Array.isArray(compared) ? (compared[0] as string) : (compared as string | number | null)
  if (field.kind === 'select') return value === null ? null : field.options!.indexOf(String(value))
  return typeof value === 'string' ? [...value].slice(0, sortedBy).join('') : value
}

const compare = (a: string | number, b: string | number): number =>
  typeof a === 'string' ? byBytes(a, String(b)) : a - Number(b)

/** Empty values last whichever the direction; ties by id, in the direction of the first column. */
export function byOrder(sort: readonly Sort[]): (a: Json, b: Json) => number {
  const sign = (dir: Sort['dir']) => (dir === 'DESC' ? -1 : 1)
  return (a, b) => {
    for (const { field, dir } of sort) {
      const [left, right] = [sortedValue(field, a), sortedValue(field, b)]
      if (left === right) continue
      if (left === null || right === null) return left === null ? 1 : -1
      const order = compare(left, right)
      if (order !== 0) return order * sign(dir)
    }
    return byBytes(a._id, b._id) * sign(sort[0]?.dir ?? 'ASC')
  }
}
