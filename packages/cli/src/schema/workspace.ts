import { schemas, type ObjectSchemaDocument } from '@kontor/contract'
import type { Connected } from '../connection.ts'

/** Schemas in a page of the list. */
const pageLimit = 200

/** The documents of all objects of a workspace, in the order of their names. */
export async function listDocuments({ rest, workspace }: Connected): Promise<ObjectSchemaDocument[]> {
  const found: ObjectSchemaDocument[] = []
  for (let cursor: string | undefined; ;) {
    const page = { limit: pageLimit, ...(cursor !== undefined && { cursor }) }
    const { body } = await rest.call(schemas.list, { workspace, page })
    found.push(...body.data.map(({ attributes }) => attributes))
    const next = body.links.next
    cursor = next === null ? undefined : (new URL(next).searchParams.get('page[cursor]') ?? undefined)
    if (cursor === undefined) break
  }
  return found.toSorted((one, other) => (one.title < other.title ? -1 : 1))
}
