import { linkEndOf, type ObjectModel } from '../../objects/index.ts'
import type { Condition, RelationshipStep, ResolvedFilter } from '../../filters/index.ts'
import type { ResolvedQuery } from '../query/resolve.ts'

export type PathStep = Pick<RelationshipStep, 'field' | 'linkEnd' | 'target'>

/** The records at the end of a path, and the names of the fields that a query reads of them. */
export type RecordsRead = {
  readonly path: readonly PathStep[]
  readonly object: ObjectModel
  readonly fields: ReadonlySet<string>
}

/** One field that is read; without a name, it is only checked that there is a record, and that it is visible. */
type Read = { readonly path: readonly PathStep[]; readonly name?: string | undefined }

/** Stands for every field, where a query searches in them or asks when a record was changed. */
const everyField = '*'

/** Tells whether a query reads one of some changed fields; undefined if any may have changed. */
export const reads = ({ fields }: RecordsRead, changed: ReadonlyMap<string, unknown> | undefined): boolean =>
  changed === undefined || fields.has(everyField) || changed.keys().some((name) => fields.has(name))

/** The field by which a record at the end of a step refers back. */
const counterpartOf = ({ field }: PathStep): string | undefined => field.relationship?.field

/** The same, where it is stored with that record: then it alone has an event when the reference changes. */
export const storedCounterpartOf = (step: PathStep): string | undefined =>
  step.target.references.find(({ name }) => name === counterpartOf(step))?.name

/** The records that the query of a list reads, if only to check that they are visible: its own, and related ones. */
export function readingsOf(
  object: ObjectModel,
  { filter, sort = [] }: Pick<ResolvedQuery, 'filter' | 'sort'>,
): readonly RecordsRead[] {
  const read: Read[] = [
    { path: [] },
    ...readByFilter(filter, object, []),
    ...sort.flatMap(({ column }) => readByColumn(column, object, [])),
  ]
  const all = read.flatMap((one) => [...alongPath(one), one])
  return [...Map.groupBy(all, ({ path }) => keyOf(path)).values()].map((some): RecordsRead => {
    const path = some[0]?.path ?? []
    const target = path.at(-1)?.target ?? object
    const names = [...some.map(({ name }) => name), target.visibility?.name]
    return { path, object: target, fields: new Set(names.filter((name) => name !== undefined)) }
  })
}

const keyOf = (path: readonly PathStep[]): string =>
  JSON.stringify(path.map(({ linkEnd, target }) => [linkEnd, target.name]))

/** The references that a path leads along: each is stored at one of its ends, or at both. */
const alongPath = ({ path }: Read): Read[] =>
  path.flatMap((step, index) => [
    { path: path.slice(0, index), name: step.field.name },
    { path: path.slice(0, index + 1), name: counterpartOf(step) },
  ])

function readByFilter(filter: ResolvedFilter | undefined, object: ObjectModel, before: readonly PathStep[]): Read[] {
  const all = (parts: readonly ResolvedFilter[]) => parts.flatMap((part) => readByFilter(part, object, before))
  if (filter === undefined) return []
  if ('search' in filter) return [{ path: before, name: everyField }]
  if ('and' in filter) return all(filter.and)
  if ('or' in filter) return all(filter.or)
  if ('not' in filter) return all([filter.not])
  if (!('exists' in filter)) return readByColumn(filter.column, object, [...before, ...filter.steps])
  const path = [...before, ...filter.exists]
  return [{ path }, ...readByFilter(filter.where, object, path)]
}

function readByColumn(column: Condition['column'], object: ObjectModel, path: readonly PathStep[]): Read[] {
  if (column.kind === 'system') return [{ path, name: column.column.startsWith('updated') ? everyField : undefined }]
  const { field, guard } = column
  const own: Read = { path, name: field.name }
  if (guard === undefined) return [own]
  const linkEnd = linkEndOf(path.at(-1)?.target ?? object, field)
  return [own, { path: [...path, { field, linkEnd, target: guard.target }] }]
}
