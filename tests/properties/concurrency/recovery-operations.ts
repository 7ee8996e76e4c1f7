import { recordsPath } from '../../harness/records.ts'
import * as effects from './effects.ts'
import { by, Pool, type Operation } from './operations.ts'
import { shown } from './pages.ts'
import { missing } from './record-operations.ts'
import { item, place } from './state.ts'

const { short } = Pool

export function removeRecords(pool: Pool): Operation {
  const object = pool.random.pick([item, item, place])
  const ids = pool.some(object, 2)
  return {
    takes: ids,
    words: `delete ${ids.map(short).join(' ')}`,
    send: (send) =>
      ids.length === 1
        ? send('DELETE', `${recordsPath(object)}/${ids[0]}`, by(pool, 'member'))
        : send('DELETE', recordsPath(object), by(pool, 'member', { items: ids })),
    expect(state) {
      const gone = ids.filter((id) => !state.isLive(object, id))
      if (gone.length > 0) return missing(state, gone)
      const next = state.copy()
      effects.remove(next, ids)
      return { status: 200, body: {}, next }
    },
  }
}

export function restoreRecords(pool: Pool): Operation {
  const object = pool.random.pick([item, place])
  const ids = pool.some(object, 2, 'gone')
  return {
    brings: ids,
    words: `restore ${ids.map(short).join(' ')}`,
    send: (send) => send('POST', `${recordsPath(object)}/restore`, by(pool, 'member', { items: ids })),
    expect(state) {
      const gone = ids.filter((id) => !state.isDeleted(object, id))
      if (gone.length > 0) return missing(state, gone)
      const codes = ids
        .map((id) => state.entry(id).values['code'])
        .filter((code) => code !== null && code !== undefined)
      if (codes.some((code) => state.holder(object, 'code', code) !== undefined) || new Set(codes).size < codes.length)
        return { status: 409, codes: ['unique_violation'] }
      const next = state.copy()
      effects.restore(next, ids)
      return { status: 200, body: { records: ids.map((id) => shown(next, id)) }, next }
    },
  }
}

export function mergeRecords(pool: Pool): Operation {
  const object = pool.random.pick([item, place])
  const into = pool.id(object)
  const sources = pool.some(object, 2).filter((id) => id !== into)
  return {
    takes: sources,
    words: `merge ${sources.map(short).join(' ')} into ${short(into)}`,
    send: (send) =>
      send(
        'POST',
        `${recordsPath(object)}/${into}/merges`,
        by(pool, 'member', { data: { type: object, attributes: { sources } } }),
      ),
    expect(state) {
      if (sources.length === 0) return { status: 422, codes: ['invalid_body'] }
      if (!state.isLive(object, into)) return missing(state, [into])
      const gone = sources.filter((id) => !state.isLive(object, id))
      if (gone.length > 0) return missing(state, gone)
      const next = state.copy()
      effects.merge(next, into, sources)
      return { status: 204, body: {}, next }
    },
  }
}
