import assert from 'node:assert/strict'
import {
  activities,
  comments,
  KontorError,
  records,
  relationships,
  resources,
  type RestClient,
  search,
} from '@kontor/client'
import { committees, object, workspace } from './model.ts'

/** A committee that only some may see: its code, who chairs it, and what it is part of. */
export type Secret = { readonly id: string; readonly code: string; readonly chairId: string; readonly parentId: string }

const statusOf = (call: Promise<{ readonly status: number }>): Promise<number> =>
  call.then(
    ({ status }) => status,
    (error: unknown) => (error instanceof KontorError ? error.status : Promise.reject(error)),
  )

/** Returns the responses about a committee of every endpoint that could reveal it. */
async function traces(rest: RestClient, { id, code, chairId, parentId }: Secret) {
  const chair = { workspace, object: 'person', id: chairId }
  const listed = await rest.call(resources.list, { ...committees, filter: { code: { Is: code } } })
  const found = await rest.call(search.query, { workspace, body: { query: code } })
  const parts = await rest.call(relationships.list, {
    ...committees,
    id: parentId,
    relationship: 'subcommittees',
    page: { limit: 1000 },
  })
  const chaired = await rest.call(relationships.list, { ...chair, relationship: 'chairs' })
  const person = await rest.call(resources.get, { ...chair, include: ['chairs'] })
  const filtered = await rest.call(resources.list, {
    workspace,
    object: 'person',
    filter: { 'chairs.code': { Is: code } },
  })
  const isIt = (one: { readonly id: string }): boolean => one.id === id
  return {
    get: await statusOf(rest.call(records.get, { ...committees, id })),
    feed: await statusOf(rest.call(activities.list, { ...committees, record: id })),
    comment: await statusOf(
      rest.call(comments.create, {
        workspace,
        body: {
          entity: object,
          owner_id: id,
          message: [{ type: 'paragraph', content: [{ type: 'text', text: 'Seen' }] }],
        },
      }),
    ),
    listed: [listed.body.data.length, listed.body.meta.total_records],
    found: found.body.data.filter(isIt).length,
    part: parts.body.data.filter(isIt).length,
    chaired: chaired.body.data.filter(isIt).length,
    included: person.body.included.filter(isIt).length,
    filtered: [filtered.body.data.length, filtered.body.meta.total_records],
    told: JSON.stringify([listed, found, parts, chaired, person, filtered].map(({ body }) => body)).includes(id),
  }
}

const nothing = { listed: [0, 0], found: 0, part: 0, chaired: 0, included: 0, filtered: [0, 0], told: false }

export const assertHidden = async (rest: RestClient, secret: Secret): Promise<void> =>
  assert.deepEqual(await traces(rest, secret), { get: 404, feed: 404, comment: 403, ...nothing })

/** By a member who may view it, but not comment on it. */
export const assertSeen = async (rest: RestClient, secret: Secret): Promise<void> =>
  assert.deepEqual(await traces(rest, secret), {
    get: 200,
    feed: 200,
    comment: 403,
    listed: [1, 1],
    found: 1,
    part: 1,
    chaired: 1,
    included: 1,
    filtered: [1, 1],
    told: true,
  })
