import { schemas, type ObjectSchemaDocument } from '@kontor/contract'
import type { Connected } from '../connection.ts'

/** Schemas in a page of the list. */
const pageLimit = 200

/** The documents of all objects of a workspace, in the order of their names. */
export async function listDocuments({ rest, workspace }: Connected): Promise<ObjectSchemaDocument[]> {
  const found = await collected(rest.all(schemas.list, { workspace, page: { limit: pageLimit } }))
  return found.map(({ attributes }) => attributes).toSorted((one, other) => (one.title < other.title ? -1 : 1))
}

/** Collects all items of a paged list. */
export async function collected<T>(all: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const one of all) found.push(one)
  return found
}
