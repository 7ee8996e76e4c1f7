import { activities, resources, schemas, users, type RestClient } from '@kontor/client'

/** A workspace on a server, to be read completely. */
export type Place = { readonly rest: RestClient; readonly baseUrl: string; readonly workspace: string }

/** The links to records of other objects that are compared, by object. */
const relationships: Readonly<Record<string, readonly string[]>> = { person: ['deals', 'company_id'], deal: ['people'] }

/** Everything that the API returns about some objects: schemas, members, records with links, and their history. */
export async function contentsOf({ rest, baseUrl, workspace }: Place, objects: readonly string[]): Promise<unknown> {
  const members = (await rest.call(users.list, { workspace })).body.data
  // Accounts, with their dates, belong to a server.
  const contents: unknown[] = [members.map(({ id, attributes: { email, roles } }) => ({ id, email, roles }))]
  for (const object of objects) {
    const include = relationships[object] ?? []
    const { data, included } = (
      await rest.call(resources.list, { workspace, object, include: [...include], page: { limit: 1000 } })
    ).body
    contents.push((await rest.call(schemas.get, { workspace, object })).body.data, data, included)
    for (const { id: record } of data)
      contents.push((await rest.call(activities.list, { workspace, object, record })).body.data)
  }
  return JSON.parse(JSON.stringify(contents).replaceAll(new URL(baseUrl).origin, ''))
}
