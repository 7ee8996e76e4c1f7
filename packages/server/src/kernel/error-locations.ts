import type { ErrorSource } from './errors.ts'
import { parameterName, pointer } from '../lib/pointers.ts'

/** The location of a part of a list request, for an error that points there. */
export type LocationOf = (...below: readonly (string | number)[]) => ErrorSource

/** Locations of the parts of a list request. A URL and a body name these parts differently. */
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
  // A comma-separated list has no positions.
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
