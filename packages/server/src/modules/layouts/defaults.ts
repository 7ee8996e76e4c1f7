import { isToMany, type ObjectModel } from '../objects/index.ts'
import type { WorkspaceSchemas } from '../schemas/index.ts'

/** A node of a default. */
export type LayoutNode = {
  readonly type: 'sidebar' | 'list' | 'record' | 'object' | 'column' | 'section' | 'field' | 'related' | 'activities'
  readonly title?: string
  readonly object?: string
  readonly field?: string
  readonly children?: readonly LayoutNode[]
}

/** More columns than fit on a screen are a choice of their own. */
const columnsMax = 8

type Field = ObjectModel['attributes'][number]

/** The field that names a record comes first; the others in the order of the schema. */
const byImportance = (fields: readonly Field[]): Field[] =>
  fields.toSorted((one, other) => Number(other.primary) - Number(one.primary))

/** The first fields of an object as columns. */
export const listDefault = ({ name, schema, attributes }: ObjectModel): LayoutNode => ({
  type: 'list',
  object: name,
  title: schema.xSvcLabel.plural,
  children: byImportance(attributes)
    .slice(0, columnsMax)
    .map((field) => ({ type: 'column', field: field.name, title: field.title })),
})

/** Returns the visible fields of a record, then its relationships and its activities. */
export const recordDefault = ({ name, schema, attributes, fields }: ObjectModel): LayoutNode => ({
  type: 'record',
  object: name,
  title: schema.xSvcLabel.singular,
  children: [
    {
      type: 'section',
      title: 'Details',
      children: byImportance(attributes)
        .filter((field) => field.schema.xSvcPresentation?.hiddenInDetails !== true)
        .map((field) => ({ type: 'field', field: field.name, title: field.title })),
    },
    ...[...fields.values()]
      .filter(isToMany)
      .map((field) => ({ type: 'related' as const, field: field.name, title: field.title })),
    { type: 'activities', title: 'Activities' },
  ],
})

/** The objects that members use every day come first, then the others by name. */
const first = ['person', 'company', 'deal', 'task', 'meeting', 'message']

const placeOf = (object: string): number => (first.includes(object) ? first.indexOf(object) : first.length)

/** All objects but users, who are no records to work with. */
export const sidebarDefault = (schemas: WorkspaceSchemas): LayoutNode => ({
  type: 'sidebar',
  children: [...schemas.values()]
    .filter(({ title }) => title !== 'user')
    .toSorted((one, other) => placeOf(one.title) - placeOf(other.title) || (one.title < other.title ? -1 : 1))
    .map(({ title: object, xSvcLabel: { plural } }) => ({ type: 'object', object, title: plural })),
})
