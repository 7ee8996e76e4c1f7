import assert from 'node:assert/strict'
import { records, relationships, resources, type RestClient } from '@kontor/client'
import { committees, object, workspace } from './model.ts'
import { committeeRows, memberIds, type CommitteeRow } from './rows.ts'

/** Ids of records by what the files call them: committees by code, people by external id. */
export type Ids = { readonly committees: ReadonlyMap<string, string>; readonly people: ReadonlyMap<string, string> }

/** Creates all committees, the parents before those that are part of them. */
async function createCommittees(rest: RestClient): Promise<Map<string, string>> {
  const ids = new Map<string, string>()
  const create = async (rows: readonly CommitteeRow[]): Promise<void> => {
    const data = rows.map(({ code, name, kind, website, jurisdiction, parent }) => ({
      type: object,
      attributes: {
        name,
        code,
        kind,
        website: website || null,
        jurisdiction: jurisdiction || null,
        ...(parent !== '' && { parent: ids.get(parent) }),
      },
    }))
    const { body } = await rest.call(records.createMany, { ...committees, body: { data, match_on: 'code' } })
    assert.ok('data' in body)
    body.data.forEach(({ id }, index) => ids.set(rows[index]?.code ?? '', id))
  }
  await create(committeeRows.filter(({ parent }) => parent === ''))
  await create(committeeRows.filter(({ parent }) => parent !== ''))
  return ids
}

/** People were imported with an address that is made of their external id. */
async function findPeople(rest: RestClient): Promise<Map<string, string>> {
  const ids = new Map<string, string>()
  for await (const { data } of rest.pages(resources.list, { workspace, object: 'person', page: { limit: 500 } })) {
    for (const { id, attributes } of data)
      ids.set(
        String((attributes['email_addresses'] as { items: string[] }).items[0])
          .replace('@example.com', '')
          .toUpperCase(),
        id,
      )
  }
  return ids
}

/** Puts the files in: committees, and who sits on them. */
export async function fill(rest: RestClient): Promise<Ids> {
  const ids: Ids = { committees: await createCommittees(rest), people: await findPeople(rest) }
  for (const [code, members] of memberIds) {
    const data = members.map((member) => ({ type: 'person', id: ids.people.get(member) ?? '' }))
    await rest.call(relationships.add, {
      ...committees,
      id: ids.committees.get(code) ?? '',
      relationship: 'members',
      body: { data },
    })
  }
  return ids
}

/** Returns the number of links, counted from one end. */
export async function countLinks(rest: RestClient, from: string, relationship: string): Promise<number> {
  let links = 0
  for await (const { data } of rest.pages(resources.list, {
    workspace,
    object: from,
    include: [relationship],
    page: { limit: 50 },
  })) {
    for (const record of data) links += record.relationships[relationship]?.meta?.count ?? 0
  }
  return links
}
