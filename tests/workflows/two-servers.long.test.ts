import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, inject, test } from 'vitest'
import { apiOf } from '../harness/api.ts'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { receiver, status } from '../harness/receiver.ts'
import { recordsPath } from '../harness/records.ts'
import { startServer } from '../harness/server-process.ts'
import { chain, workflowsOf } from '../harness/workflows.ts'

const key = 'a key of at least thirty-two characters'
const settings = { ENCRYPTION_KEYS: key, WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' }
const own = { object: 'deal', record_id: '{{trigger.state.event.object._id}}' }

/** The lease of a run's job, twice: others see for so long that it is not renewed, and then take it over. */
const takenOverMs = 30_000
/** A server that goes on would be done in less. */
const settledMs = 4000

describe.runIf(inject('database') === 'postgres')('a server that stands still in a step beyond its lease', () => {
  test.for(['when another has finished the run', 'while another is in the same step'] as const)(
    'changes nothing twice if it goes on %s',
    { timeout: 120_000 },
    async (when) => {
      const observer = await startApp({ encryptionKeys: [key] })
      const there = await receiver()
      const { create, path, run } = workflowsOf(observer)
      const { id } = await create({
        name: 'Slow',
        enabled: true,
        ...chain(
          { plugin_id: 'on:svc:create:record', input: { object: 'deal' } },
          { key: 'before', plugin_id: 'svc:create:comment', input: { ...own, message: 'Before' } },
          { key: 'post', plugin_id: 'webhook:send:outbound', input: { url: there.url, body: {} } },
          { key: 'change', plugin_id: 'svc:update:record', input: { ...own, attributes: { amount: 7 } } },
          { key: 'after', plugin_id: 'svc:create:comment', input: { ...own, message: 'After' } },
        ),
      })
      const held: (() => void)[] = []
      there.always((response, request) => void held.push(() => status(200)(response, request)))

      const first = await startServer(observer.databaseUrl, settings)
      const { body: deal } = await apiOf(observer.http, first.baseUrl, observer.credentials).post(recordsPath('deal'), {
        as: 'memberKey',
        body: { data: { type: 'deal', attributes: { name: 'Slow' } } },
      })
      await there.until(1)
      process.kill(first.pid, 'SIGSTOP')
      const second = await startServer(observer.databaseUrl, settings)
      await expect.poll(() => held.length, { timeout: takenOverMs }).toBe(2)

      const look = async (): Promise<Json> => {
        const [found] = (await observer.api.get(`${path}/${id}/runs`, { as: 'adminKey' })).body.data
        const events = { 'filter[record]': deal.data.id, limit: '200' }
        return {
          run: (await run(found.id, 'adminKey')).attributes,
          events: (await observer.api.get('/workspaces/acme/events', { as: 'adminKey', query: events })).body.data,
        }
      }
      const ended = () => expect.poll(async () => (await look()).run.status, { timeout: takenOverMs }).toBe('success')
      const [ofFirst, ofSecond] = held
      if (when === 'when another has finished the run') {
        ofSecond?.()
        await ended()
        const before = await look()
        ofFirst?.()
        process.kill(first.pid, 'SIGCONT')
        await sleep(settledMs)
        expect(await look()).toEqual(before)
      } else {
        ofFirst?.()
        process.kill(first.pid, 'SIGCONT')
        await sleep(settledMs)
        ofSecond?.()
        await ended()
        await sleep(settledMs)
      }
      const { run: attributes, events } = await look()
      expect(attributes.steps.map((step: Json) => [step.block_id, step.status, step.attempts])).toEqual(
        ['before', 'post', 'change', 'after'].map((block) => [block, 'success', 1]),
      )
      expect(events.map((event: Json) => event.attributes.type)).toEqual([
        'record.created',
        'comment.created',
        'record.updated',
        'comment.created',
      ])
      expect(new Set(there.got.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
      expect(there.got).toHaveLength(2)
      for (const server of [first, second]) expect(await server.terminate()).toBe(0)
    },
  )
})
