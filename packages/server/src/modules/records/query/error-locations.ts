import type { ErrorSource } from '../../../kernel/errors.ts'
import { parameterName, pointer } from '../../../kernel/pointers.ts'

/** Where a part of a question stands in the request, for an error that points there. */
export type LocationOf = (...below: readonly (string | number)[]) => ErrorSource

/** The same question may be asked in a URL or in a body, where its parts have other names. */
export type ErrorLocations = Readonly<Record<'page' | 'sort' | 'fields' | 'include' | 'filter', LocationOf>>

const inQuery =
  (name: string): LocationOf =>
  (...below) => ({ parameter: parameterName([name, ...below]) })
const inBody =
  (name: string): LocationOf =>
  (...below) => ({ pointer: pointer([name, ...below]) })

export const queryLocations: ErrorLocations = {
  page: inQuery('page'),
  sort: inQuery('sortOrder'),
  fields: inQuery('fields'),
  // A list by commas has no positions.
  include: () => ({ parameter: 'include' }),
  filter: inQuery('filter'),
}

export const bodyLocations: ErrorLocations = {
  page: inBody('page'),
  sort: inBody('sort'),
  fields: inBody('fields'),
  include: inBody('include'),
  filter: inBody('filter'),
}
