import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { records, relationships, resources, type RestClient } from '@kontor/client'
import type { Ids } from './fill.ts'
import { committees, object, workspace } from './model.ts'

/** One thing that a client does over and over; `turn` counts from 0. */
type Habit = (turn: number) => Promise<unknown>

export type Load = { readonly requests: number; readonly slowestMs: number }

/**
 * Returns the requests of readers and writers of committees while the schema changes. None names a field that is about
 * to change.
 */
export async function habits(rest: RestClient, ids: Ids): Promise<Habit[]> {
  const senator = ids.people.values().next().value ?? ''
  const agriculture = ids.committees.get('SSAF') ?? ''
  const create = async (code: string): Promise<string> => {
    const attributes = { name: `Select committee ${code}`, code, kind: 'house', parent: agriculture }
    return (await rest.call(records.create, { ...committees, body: { data: { type: object, attributes } } })).body.data
      .id
  }
  const made = [await create('LOAD')]
  const some = (turn: number): string => made[turn % made.length] ?? ''
  return [
    async () => made.push(await create(`LOAD${made.length}`)),
    async (turn) => {
      const id = some(turn)
      await rest.call(records.update, {
        ...committees,
        id,
        body: { data: { type: object, attributes: { name: `Committee of turn ${turn}` } } },
      })
    },
    async (turn) => {
      const link = {
        ...committees,
        id: some(turn),
        relationship: 'members',
        body: { data: { type: 'person', id: senator } },
      }
      await (turn % 2 === 0 ? rest.call(relationships.add, link) : rest.call(relationships.remove, link))
    },
    async () => {
      const { body } = await rest.call(resources.list, {
        ...committees,
        filter: { kind: 'senate' },
        sortOrder: { column: 'name', dir: 'ASC' },
        include: ['members', 'parent'],
      })
      assert.equal(body.data.length, 21)
    },
    async () => {
      const { body } = await rest.call(records.get, { ...committees, id: agriculture })
      const { attributes } = body.data
      assert.ok(
        'jurisdiction' in attributes !== 'remit' in attributes,
        'a record is of the old schema or of the new one',
      )
    },
    async () => {
      const { body } = await rest.call(relationships.list, {
        ...committees,
        id: agriculture,
        relationship: 'members',
        sortOrder: { column: 'name.last_name', dir: 'ASC' },
        include: ['members.committees'],
      })
      assert.equal(body.data.length, 23)
    },
    async () => {
      const { body } = await rest.call(resources.list, {
        workspace,
        object: 'person',
        filter: { 'committees.code': 'SSAF' },
      })
      assert.equal(body.meta.total_records, 23)
    },
  ]
}

/** Some changes are over before anyone has asked twice. */
const atLeastMs = 1000

/** Does something while all habits go on; a request that fails fails it all. */
export async function underLoad(all: readonly Habit[], work: () => Promise<void>): Promise<Load> {
  const state = { over: false, requests: 0, slowestMs: 0 }
  const goOn = async (habit: Habit): Promise<void> => {
    for (let turn = 0; !state.over; turn++) {
      const started = performance.now()
      await habit(turn)
      state.requests++
      state.slowestMs = Math.max(state.slowestMs, performance.now() - started)
    }
  }
  const going = Promise.all(all.map(goOn))
  try {
    // Habits never end by themselves: who ends first is the work, or a request that fails.
    await Promise.race([Promise.all([work(), sleep(atLeastMs)]), going])
  } finally {
    state.over = true
    await going
  }
  return { requests: state.requests, slowestMs: Math.round(state.slowestMs) }
}
