import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer, Json } from '../../harness/http.ts'
import { nextNumber } from '../../harness/records.ts'
import { objectPath, schemasPath } from '../../harness/schemas.ts'
import { by, type Operation, type Pool, type Send } from './operations.ts'
import { item, elsewhere, type Fields } from './state.ts'

/** A change of schemas may be told to wait for another one, and does nothing then. */
const mayRefuse = ['schema_modification_in_progress']

const tasksPath = '/workspaces/acme/async-tasks'
const pollMs = 5

/**
 * Adds a field to another object than the one whose records are worked on: a call that reads the schemas twice sees it.
 */
export function addElsewhere(pool: Pool): Operation {
  const name = nextNumber()
  const isRelationship = pool.random.chance(0.3)
  const link = { xSvcRelationship: { kind: 'many-to-one', entity: elsewhere, field: `back_${name}` } }
  const path = `${schemasPath}/${elsewhere}/${isRelationship ? 'relationships' : 'properties'}`
  const data = isRelationship
    ? { type: 'relationship', attributes: { [elsewhere]: { [`to_${name}`]: link } } }
    : { type: 'schema-properties', attributes: { [`f_${name}`]: { type: 'string' } } }
  return {
    words: `add a ${isRelationship ? 'relationship' : 'field'} elsewhere`,
    mayRefuse,
    send: (send) => send('POST', path, by(pool, 'admin', { data })),
    expect: () => ({ status: 202, body: {} }),
  }
}

/** Fields of items that come and go; each time that one comes it is empty. */
export const changing = ['f_a', 'f_b', 'f_c'] as const

/**
 * Adds a field; behind another change of items it waits in the queue, and then the operation ends when that has ended.
 */
export function addField(pool: Pool): Operation {
  const name = pool.random.pick(changing)
  const data = { type: 'schema-properties', attributes: { [name]: { type: 'string' } } }
  const refusals = [...mayRefuse]
  return {
    words: `field ${name} is added`,
    mayRefuse: refusals,
    async send(send) {
      const change = begun(pool)
      pool.adding.push(name)
      try {
        const answer = await send('POST', `${schemasPath}/${item}/properties`, by(pool, 'admin', { data }))
        // The field of one that was accepted is taken before it is there.
        if (pool.adding.filter((one) => one === name).length > 1) refusals.push('invalid_body')
        if (answer.status === 202) await untilQueueIsEmpty(send, pool)
        return answer
      } finally {
        pool.changes.delete(change)
        pool.adding.splice(pool.adding.indexOf(name), 1)
      }
    },
    expect(state) {
      const fields = state.schemas.get(item)!
      if (fields.has(name)) return { status: 422, codes: ['invalid_body'] }
      const next = state.copy()
      next.setFields(item, new Map([...fields, [name, 'text']]))
      return { status: 202, body: {}, next }
    },
  }
}

/** Notes a change of items' fields that begins, for those that it meets. */
function begun({ changes }: Pool): { hasMet: boolean } {
  const change = { hasMet: changes.size > 0 }
  for (const other of changes) other.hasMet = true
  changes.add(change)
  return change
}

const isUnderWay = ({ attributes: { state, metadata } }: Json): boolean =>
  metadata.entity === item && ['queued', 'running'].includes(state)

/** The answer of what was added names no task. */
async function untilQueueIsEmpty(send: Send, pool: Pool): Promise<void> {
  for (;;) {
    const { status, body } = await send('GET', tasksPath, by(pool, 'admin'))
    if (status === 200 && !body.data.some(isUnderWay)) return
    await sleep(pollMs)
  }
}

/**
 * Replaces the document of items by one without a field, and waits until the task has ended. What the document leaves
 * as it was follows a change that is under way when it comes (docs/decisions/0074), and what came into force between
 * its reading and its coming does not: of each other field, a client that has met another cannot know which it is.
 */
export function dropField(pool: Pool): Operation {
  const name = pool.random.pick(changing)
  const others = changing.filter((one) => one !== name)
  let sent: Fields | undefined
  let hasMet = false
  let following: readonly string[] = []
  return {
    words: `field ${name} is dropped`,
    mayRefuse,
    async send(send) {
      const change = begun(pool)
      try {
        const { body } = await send('GET', objectPath(item), by(pool, 'admin'))
        const document = body.data.attributes
        delete document.properties[name]
        const fields = Object.entries<Json>(document.properties).filter(
          ([, { xSvcRelationship: to }]) => to === undefined,
        )
        sent = new Map(fields.map(([field, schema]) => [field, schema.xSvcType]))
        return await ended(send, pool, await send('PUT', objectPath(item), by(pool, 'admin', document)))
      } finally {
        pool.changes.delete(change)
        hasMet = change.hasMet
      }
    },
    ways: () => (hasMet ? [[], others, ...others.map((one) => [one])] : [[]]).map((some) => () => (following = some)),
    see: ({ data }: Json) => ({ state: data.attributes.state }),
    expect(state) {
      const next = state.copy()
      // Without an answer, nothing may have been sent.
      if (sent !== undefined) {
        const kept = [...sent].filter(([field]) => !following.includes(field))
        const followed = [...state.schemas.get(item)!].filter(([field]) => following.includes(field))
        next.setFields(item, new Map([...kept, ...followed]))
      }
      return { status: 200, body: { state: 'completed' }, next }
    },
  }
}

/** A task as it has ended, in place of the answer that began it. */
async function ended(send: Send, pool: Pool, answer: Answer): Promise<Answer> {
  if (answer.status !== 200) return answer
  for (;;) {
    const task = await send('GET', `${tasksPath}/${answer.body.data.id}`, by(pool, 'admin'))
    const isOver = task.status === 200 && !isUnderWay(task.body.data)
    if (isOver || (task.status !== 200 && task.status < 500)) return task
    await sleep(pollMs)
  }
}
