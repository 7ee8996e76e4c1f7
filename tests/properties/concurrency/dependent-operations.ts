import type { Json } from '../../harness/http.ts'
import { paragraph } from '../../harness/comments.ts'
import { by, Pool, type Operation } from './operations.ts'
import { pageParts } from './pages.ts'
import { item, unknownId, type State } from './state.ts'

// Operations on dependents of records: comments, and entries of a list that is put together by hand.

const { short } = Pool
const commentsPath = '/workspaces/acme/comments'
const words = 'a comment'

const seenComment = ({ owner_id, message }: Json): Json => ({ owner: owner_id, text: message[0].content[0].text })

/** A comment is there as long as the record that it hangs on is. */
export function commentIn(state: State, id: string): { readonly owner: string; readonly text: string } | undefined {
  const found = state.comments.get(id)
  return found !== undefined && state.isLive(item, found.owner) ? found : undefined
}

export function comment(pool: Pool): Operation {
  const owner = pool.id(item)
  const text = pool.name('C')
  return {
    names: [text],
    words: `${words} ${text} on ${short(owner)}`,
    send: (send) =>
      send('POST', commentsPath, by(pool, 'member', { entity: item, owner_id: owner, message: paragraph(text) })),
    see: seenComment,
    expect(state, [id = unknownId]) {
      if (!state.isLive(item, owner)) return { status: 403, codes: ['forbidden'] }
      const next = state.copy()
      next.comments.set(id, { owner, text })
      return { status: 201, body: { owner, text }, next }
    },
  }
}

const gone = { status: 404, codes: ['not_found'] }

/** Reads, changes or deletes a comment. */
export function useComment(pool: Pool): Operation {
  if (pool.comments.length === 0) return comment(pool)
  const id = pool.random.pick(pool.comments)
  const how = pool.random.pick(['GET', 'GET', 'PATCH', 'DELETE'] as const)
  const text = pool.name('C')
  const body = how === 'PATCH' ? { message: paragraph(text) } : undefined
  return {
    words: `${words} ${short(id)}: ${how} ${how === 'PATCH' ? text : ''}`,
    ...(how === 'GET' && { isRead: true }),
    send: (send) => send(how, `${commentsPath}/${id}`, by(pool, 'member', body)),
    see: seenComment,
    expect(state) {
      const found = commentIn(state, id)
      if (found === undefined) return gone
      const next = state.copy()
      if (how === 'DELETE') next.comments.delete(id)
      else if (how === 'PATCH') next.comments.set(id, { ...found, text })
      const is = how === 'PATCH' ? { ...found, text } : found
      return { status: 200, body: is, ...(how !== 'GET' && { next }) }
    },
  }
}

const entriesPath = (pool: Pool): string => `/workspaces/acme/objects/${item}/lists/${pool.list}/resources`

/** Adds items to the list, or takes them out. */
export function changeEntries(pool: Pool): Operation {
  const isAdding = pool.random.chance(0.6)
  const ids = pool.some(item, 2)
  return {
    words: `${isAdding ? 'put into the list' : 'take out of the list'} ${ids.map(short).join(' ')}`,
    send: (send) =>
      send(
        isAdding ? 'POST' : 'DELETE',
        entriesPath(pool),
        by(pool, 'member', { data: ids.map((id) => ({ type: item, id })) }),
      ),
    expect(state) {
      const live = ids.filter((id) => state.isLive(item, id))
      if (isAdding && live.length < ids.length) return { status: 404, codes: ['related_not_found'] }
      const next = state.copy()
      for (const id of live) next.change(id, { isListed: isAdding })
      return { status: 200, body: {}, next }
    },
  }
}

export const listed = (state: State): string[] => state.live(item).filter((id) => state.entry(id).isListed)

export function readEntries(pool: Pool): Operation {
  return {
    words: 'list the entries of the list',
    isRead: true,
    send: (send) => send('GET', entriesPath(pool), by(pool, 'member', undefined, { query: { 'page[limit]': 200 } })),
    see: () => ({}),
    expect: () => ({ status: 200 }),
    parts: (body: Json) => pageParts(pool, body, listed),
  }
}
