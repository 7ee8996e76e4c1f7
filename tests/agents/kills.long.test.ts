import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { agentsPath } from '../harness/agents.ts'
import { apiOf } from '../harness/api.ts'
import { startApp } from '../harness/app.ts'
import { paragraph } from '../harness/comments.ts'
import { openAt } from '../harness/database.ts'
import { startMortal, type FaultPoint, type Mortal } from '../harness/fault-points.ts'
import type { Json } from '../harness/http.ts'
import { say } from '../harness/long-run.ts'
import { calls, modelServer, says } from '../harness/model.ts'
import { recordsOf } from '../harness/records.ts'
import { isFull } from '../harness/size.ts'

/**
 * A real server is killed (-9) at each commit of a run of an agent with a language model, and of its undoing: just
 * before the commit is sent, and once it is done and no caller has been told. Another server finishes it.
 */

const key = 'a key of at least thirty-two characters'
const model = await modelServer()
const observer = await startApp({ encryptionKeys: [key], ai: model.ai })
const settings = { ENCRYPTION_KEYS: key, AI_BASE_URL: model.ai.baseUrl, AI_MODEL: model.ai.model }
const { api } = observer
const database = openAt(observer.databaseUrl)
afterAll(() => database.close())
const person = await recordsOf(observer).create('person', { job_title: 'Admiral' })

const patienceMs = 60_000

/** The request of the model, by how much it has been told: the same each time. */
function answers(mark: string): Parameters<typeof model.otherwise>[0] {
  const task = { object: 'task', body: { data: { type: 'task', attributes: { title: mark } } } }
  const change = { data: { type: 'person', attributes: { job_title: mark } } }
  const comment = { body: { entity: 'person', owner_id: person.id, message: paragraph(mark) } }
  const turns = [
    calls(['records_create', task], ['records_update', { object: 'person', id: person.id, body: change }]),
    says({ text: 'Not yet.' }),
    calls(['comments_create', comment]),
  ]
  return (response, request) => {
    const told = request.messages.filter(({ role }: Json) => role === 'tool').length
    const turn = turns[told] ?? says({ text: 'Done.' })
    turn(response, request)
  }
}

/** One run and its undoing, by however many servers. */
class Round {
  readonly mark = `Round ${Math.random()}`
  #agentId: string | undefined

  async #one<T>(look: () => Promise<T | undefined | false>, isGone: () => boolean): Promise<T> {
    for (const began = performance.now(); performance.now() - began < patienceMs; await sleep(10)) {
      const found = await look()
      if (found !== undefined && found !== false) return found
      if (isGone()) throw new Error('gone')
    }
    throw new Error('no end')
  }

  /** Goes on until the run is undone; throws where the server dies before. */
  async drive(server: Pick<Mortal, 'baseUrl' | 'gone'>): Promise<void> {
    let isGone = false
    void server.gone.then(() => (isGone = true))
    model.otherwise(answers(this.mark))
    const call = apiOf(observer.http, server.baseUrl, observer.credentials).send
    const send = async (path: string, name: string, body?: Json): Promise<Json> => {
      const headers = { 'Idempotency-Key': `${this.mark} ${name}` }
      const answer = await call('POST', path, { as: 'memberKey', headers, ...(body !== undefined && { body }) })
      expect(answer.body.errors).toBeUndefined()
      return answer.body.data
    }
    this.#agentId ??= (
      await send(agentsPath, 'agent', {
        name: this.mark,
        instructions: 'Go on.',
        scopes: ['records:read', 'records:write', 'comments:write'],
        enabled: true,
      })
    ).id
    const runs = `${agentsPath}/${this.#agentId}/runs`
    const { id } = await send(runs, 'run', {})
    const run = await this.#one(
      async () => {
        const { attributes } = (await api.get(`${runs}/${id}`)).body.data
        return attributes.ended_at !== null && attributes
      },
      () => isGone,
    )
    expect([run.status, run.steps.length]).toEqual(['success', 6])
    await send(`${runs}/${id}/undo`, 'undo')
    const undo = await this.#one(
      async () => {
        const { attributes } = (await api.get(`${runs}/${id}/undo`)).body.data
        return attributes.state !== 'running' && attributes
      },
      () => isGone,
    )
    expect(undo).toMatchObject({ state: 'done', events: 3, reverted: 3, conflicts: [] })
    await observer.quiet(() => isGone)
  }

  /** The state of its feeds and tables in the end. */
  async outcome(): Promise<Json> {
    const activities = await database.reader.query<Json>(({ knex }) =>
      knex('activity').select('type', 'object').where({ actor_id: this.#agentId }).orderBy(['object', 'type']),
    )
    const { job_title: title } = (await api.get(`/workspaces/acme/objects/person/records/${person.id}`)).body.data
      .attributes
    return { activities, title }
  }
}

const expected = {
  activities: [
    { type: 'comment:create', object: 'person' },
    { type: 'svc:update', object: 'person' },
    { type: 'svc:create', object: 'task' },
  ].toSorted((a, b) => `${a.object}${a.type}`.localeCompare(`${b.object}${b.type}`)),
  title: 'Admiral',
}

function* points(): Generator<FaultPoint> {
  for (let commit = isFull() ? 1 : 4; ; commit += isFull() ? 1 : 4)
    for (const moment of ['before', 'after'] as const) yield { moment, commit }
}

test('a run of an agent and its undoing come to the same end wherever the server is killed', async () => {
  const deaths: string[] = []
  let left: Round | undefined
  for (const point of points()) {
    const server = await startMortal(observer.databaseUrl, settings, point)
    if (left !== undefined) {
      await left.drive(server)
      expect(await left.outcome(), deaths.at(-1)).toEqual(expected)
    }
    await observer.quiet()
    left = new Round()
    await server.arm()
    let isDead = false
    void server.gone.then(() => (isDead = true))
    await left.drive(server).catch(async (error: unknown) => {
      await sleep(200)
      if (!isDead) throw error
    })
    if (!isDead) {
      expect(await left.outcome()).toEqual(expected)
      await server.kill()
      break
    }
    await expect.poll(() => server.lastWrites()).toBeDefined()
    deaths.push(`${point.moment} ${point.commit}: ${server.lastWrites()}`)
    await observer.schemaJobs.giveBack()
  }
  say([`killed ${deaths.length} times`, ...deaths].join('\n  '))
  for (const table of ['workflow_run', 'workflow_step', 'record', 'comment', 'agent_undo'])
    expect(
      deaths.some((death) => death.split(' ').includes(table)),
      table,
    ).toBe(true)
}, 1_200_000)
