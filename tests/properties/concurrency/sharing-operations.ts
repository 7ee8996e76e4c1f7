import { encodeQuery } from '../../harness/api.ts'
import { grantOf, type Level } from '../../harness/grants.ts'
import type { Json } from '../../harness/http.ts'
import { recordsPath, resourcesPath } from '../../harness/records.ts'
import * as effects from './effects.ts'
import { by, Pool, type Operation } from './operations.ts'
import { pageParts, shown } from './pages.ts'
import { missing } from './record-operations.ts'
import { note, unknownId, type State } from './state.ts'

// Notes are private to the member who made them; another one sees and changes what is granted.

const { short } = Pool
const levels = ['view', 'comment', 'edit', 'manage'] as const satisfies readonly Level[]

/** Returns whether the other member may do something with a note, by their level. */
function reaches(pool: Pool, state: State, id: string, needed: Level): boolean {
  const { grants } = state.entry(id)
  const granted = [pool.people.second.id, 'workspace'].flatMap((grantee) => grants.get(grantee)?.level ?? [])
  return granted.some((level) => levels.indexOf(level) >= levels.indexOf(needed))
}

const visible = (pool: Pool, state: State): string[] =>
  state.live(note).filter((id) => reaches(pool, state, id, 'view'))

export function readNote(pool: Pool): Operation {
  const id = pool.id(note)
  return {
    words: `get the note ${short(id)}, as the other member`,
    isRead: true,
    send: (send) => send('GET', `${recordsPath(note)}/${id}`, by(pool, 'second')),
    expect: (state) =>
      reaches(pool, state, id, 'view')
        ? { status: 200, body: { record: shown(state, id) }, version: state.entry(id).version }
        : missing(state, [id]),
  }
}

export function listNotes(pool: Pool): Operation {
  const query = {
    'filter[_id][One of]': pool.ids[note]!.join(','),
    'sortOrder[column]': '_id',
    'sortOrder[dir]': 'ASC',
  }
  return {
    words: 'list the notes, as the other member',
    isRead: true,
    send: (send) => send('GET', `${resourcesPath(note)}?${encodeQuery(query)}`, by(pool, 'second')),
    see: () => ({}),
    expect: () => ({ status: 200 }),
    parts: (body: Json) =>
      pageParts(
        pool,
        body,
        (state) => visible(pool, state),
        (state, id) => reaches(pool, state, id, 'view'),
      ),
  }
}

export function changeNote(pool: Pool): Operation {
  const id = pool.id(note)
  const n = pool.random.below(5)
  return {
    words: `update the note ${short(id)}, as the other member: ${n}`,
    send: (send) =>
      send('PATCH', `${recordsPath(note)}/${id}`, by(pool, 'second', { data: { type: note, attributes: { n } } })),
    expect(state) {
      if (!reaches(pool, state, id, 'view')) return missing(state, [id])
      if (!reaches(pool, state, id, 'edit')) return { status: 403, codes: ['forbidden'] }
      const next = state.copy()
      effects.update(next, id, { n })
      return { status: 200, body: { record: shown(next, id) }, version: next.entry(id).version, next }
    },
  }
}

const seenGrant = ({ data }: Json): Json => ({
  grantee: data.attributes.grantee_id ?? 'workspace',
  level: data.attributes.access_level,
})

/** Grants a level to the other member, or to the workspace; who has a grant has this level from then on. */
export function share(pool: Pool): Operation {
  const id = pool.id(note)
  const grantee = pool.random.chance(0.7) ? pool.people.second.id : 'workspace'
  const level = pool.random.pick(levels)
  return {
    words: `share the note ${short(id)} with ${short(grantee)}: ${level}`,
    send: (send) =>
      send('POST', `${recordsPath(note)}/${id}/access`, by(pool, 'member', { data: grantOf(grantee, level) })),
    see: seenGrant,
    expect(state, [made = unknownId]) {
      const { grants } = state.entry(id)
      const before = grants.get(grantee)
      const next = state.copy()
      const grant = { id: before === undefined || before.id === unknownId ? made : before.id, level }
      next.change(id, { grants: new Map([...grants, [grantee, grant]]) })
      return { status: before === undefined ? 201 : 200, body: { grantee, level }, next }
    },
  }
}

export function revoke(pool: Pool): Operation {
  const known = [...pool.grants]
  if (known.length === 0) return share(pool)
  const [grant, id] = pool.random.pick(known)
  return {
    words: `revoke the grant ${short(grant)} of the note ${short(id)}`,
    send: (send) => send('DELETE', `${recordsPath(note)}/${id}/access/${grant}`, by(pool, 'member')),
    expect(state) {
      const left = [...state.entry(id).grants].filter(([, one]) => one.id !== grant)
      if (left.length === state.entry(id).grants.size) return { status: 404, codes: ['not_found'] }
      const next = state.copy()
      next.change(id, { grants: new Map(left) })
      return { status: 202, body: {}, next }
    },
  }
}
