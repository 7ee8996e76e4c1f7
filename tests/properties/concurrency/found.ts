import type { QueryText } from '../../harness/api.ts'
import type { TestApp } from '../../harness/app.ts'
import type { Json } from '../../harness/http.ts'
import { canonical, plain } from './answers.ts'
import { commentIn, listed } from './dependent-operations.ts'
import { unheard, type Log } from './events.ts'
import { Pool } from './operations.ts'
import { exactly, fits, item, note, place, relations, unknownId, type State } from './state.ts'

/**
 * Everything that there is of some records, as an admin finds it once all has come to rest; the model derives it from
 * a state.
 */
export type Found = {
  readonly live: Json
  readonly deleted: Json
  /** The dependents of records, a line each: links, comments, entries of the list, grants. */
  readonly rest: readonly string[]
  readonly versions: Readonly<Record<string, number>>
}

export async function find(app: TestApp, pool: Pool): Promise<Found> {
  const live: Json = {}
  const deleted: Json = {}
  app.forgetMemberships()
  for (const object of [item, place, note]) {
    const ids = new Set(pool.ids[object])
    const all = { 'page[limit]': 1000 }
    const there = await read(app, `objects/${object}/resources`, 'adminKey', {
      'filter[_id][One of]': [...ids].join(','),
      ...all,
    })
    for (const { id, attributes } of there.data) live[id] = plain(attributes)
    const gone = await read(app, `objects/${object}/deleted-resources`, 'adminKey', all)
    for (const { id, attributes } of gone.data) if (ids.has(id)) deleted[id] = plain(attributes)
  }
  return {
    live,
    deleted,
    rest: [...(await linksIn(app, pool)), ...(await belongingsIn(app, pool))],
    versions: await app.versions(Object.values(pool.ids).flat()),
  }
}

/** The body of what is read when all has come to rest: it is there, or it is not. */
async function read(
  app: TestApp,
  path: string,
  as: 'adminKey' | 'memberKey' = 'adminKey',
  query: QueryText = {},
): Promise<Json> {
  const { status, body } = await app.api.get(`/workspaces/acme/${path}`, { as, query })
  if (status !== 200 && status !== 404) throw new Error(`${path} cannot be read: ${status}`)
  return body
}

const restOf = (what: string, ...parts: readonly string[]): string => [what, ...parts].join(' ')

const grantLine = (record: string, grantee: string, level: string, id: string): string =>
  restOf('grant', record, grantee, level, id)

async function belongingsIn(app: TestApp, pool: Pool): Promise<string[]> {
  const comments = await Promise.all(pool.comments.map((id) => read(app, `comments/${id}`, 'memberKey')))
  const entries = await read(app, `objects/${item}/lists/${pool.list}/resources?page[limit]=1000`, 'memberKey')
  const grants = await Promise.all(
    pool.ids[note]!.map((id) => read(app, `objects/${note}/records/${id}/access`, 'memberKey')),
  )
  return [
    ...comments.flatMap(({ _id, owner_id, message }) =>
      _id === undefined ? [] : [restOf('comment', _id, owner_id, message[0].content[0].text)],
    ),
    ...entries.data.map(({ id }: Json) => restOf('entry', id)),
    ...grants.flatMap(({ data }: Json) =>
      data.map(({ id, attributes: { object_id: record, grantee_id: grantee, access_level: level } }: Json) =>
        grantLine(record, grantee ?? 'workspace', level, id),
      ),
    ),
  ]
}

/** Links as they are stored: no answer tells which of them wait for a deleted record. */
async function linksIn(app: TestApp, pool: Pool): Promise<string[]> {
  const rows = await app.linksAmong(Object.values(pool.ids).flat())
  const paired = new Set(relations.filter(({ kind }) => kind === 'one-to-one').map(({ b }) => `${b.object}.${b.field}`))
  return (
    rows
      // A field that came later is kept under its name and the version of its object.
      .map((row) => ({ ...row, relationship: row.relationship.replace(/~\d+$/, '') }))
      .filter(({ relationship }) => !paired.has(relationship))
      .map(({ relationship, from_id, to_id, hidden_by }) =>
        [relationship, from_id, to_id, hidden_by === null ? 'live' : 'waiting'].join(' '),
      )
      .toSorted()
  )
}

/** The findings if a state were that of the workspace. */
function expectedIn(state: State): Omit<Found, 'versions'> {
  const of = (is: 'live' | 'deleted') =>
    Object.fromEntries(
      [...state.records.keys()]
        .filter((id) => state.links.states.get(id) === is)
        .map((id) => [id, state.attributes(id)]),
    )
  return {
    live: of('live'),
    deleted: of('deleted'),
    rest: [
      ...state.links.links().map((link) => link.join(' ')),
      ...[...state.comments.keys()].flatMap((id) => {
        const comment = commentIn(state, id)
        return comment === undefined ? [] : [restOf('comment', id, comment.owner, comment.text)]
      }),
      ...listed(state).map((id) => restOf('entry', id)),
      ...[...state.records].flatMap(([record, { grants }]) =>
        [...grants].map(([grantee, { id, level }]) => grantLine(record, grantee, level, id)),
      ),
    ],
  }
}

const only = (who: string, own: readonly string[], other: readonly string[]): string[] =>
  own.filter((link) => !other.includes(link)).map((link) => `only ${who} has ${link}`)

/** The differences between a state and the findings, a line each. */
export function differences(
  state: State,
  { found, log }: { readonly found: Found; readonly log?: Log | undefined },
): string[] {
  const expected = expectedIn(settled(state, found))
  const parts = ['live', 'deleted'] as const
  const lines = parts.flatMap((part) =>
    [...new Set([...Object.keys(expected[part]), ...Object.keys(found[part])])].flatMap((id) => {
      const [wanted, is] = [canonical(expected[part][id] ?? null), canonical(found[part][id] ?? null)]
      return wanted === is ? [] : [`${part} ${Pool.short(id)}: the model has ${wanted}, the server ${is}`]
    }),
  )
  const created = Object.keys(found.versions).filter((id) => !state.records.has(id))
  const versions = [...state.records].flatMap(([id, { version }]) => {
    const is = found.versions[id]
    return is === undefined || fits(version, is)
      ? []
      : [`the model has ${Pool.short(id)} at ${version.number}, the server at ${is}`]
  })
  return [
    ...lines,
    ...[...state.leaving].map(([page, ids]) => `${page} does not show ${ids.map(Pool.short).join(' ')}`),
    ...only('the model', expected.rest, found.rest),
    ...only('the server', found.rest, expected.rest),
    ...created.map((id) => `only the server has ${Pool.short(id)}`),
    ...versions,
    ...(log === undefined ? [] : unheard(log, state)),
  ]
}

/** A state with the versions that were found, from which on the log is heard anew. */
export function withVersions(state: State, { versions }: Found): State {
  const exact = state.copy()
  exact.heard.clear()
  for (const [id, version] of Object.entries(versions)) exact.change(id, { version: exactly(version) })
  return exact
}

/** A state with the ids of grants that were given without an answer, where there is such a grant. */
export function settled(state: State, { rest }: Found): State {
  let next = state
  for (const [record, { grants }] of state.records) {
    for (const [grantee, { id, level }] of grants) {
      const start = grantLine(record, grantee, level, '')
      const given = id === unknownId && rest.find((line) => line.startsWith(start))?.slice(start.length)
      if (!given) continue
      if (next === state) next = state.copy()
      next.change(record, { grants: new Map([...next.entry(record).grants, [grantee, { id: given, level }]]) })
    }
  }
  return next
}
