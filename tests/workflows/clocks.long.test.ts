import { setTimeout as sleep } from 'node:timers/promises'
import { expect, inject, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { nextNumber, recordsOf } from '../harness/records.ts'
import { chain, workflowsOf } from '../harness/workflows.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** Longer than the runners take until they look at the clock again, twice. */
const looksMs = 2500

const own = { object: 'deal', record_id: '{{trigger.state.event.object._id}}' }
const onDeal = (name: string) => ({
  plugin_id: 'on:svc:create:record',
  input: { object: 'deal' },
  filters: [{ field: 'state.event.object.data.name', condition: { operator: 'Starts with', value: name } }],
})
const comment = { key: 'then', plugin_id: 'svc:create:comment', input: { ...own, message: 'Then' } }

test(
  'where the clock jumps by an hour, forwards and backwards, nothing that waits is lost or happens twice',
  { timeout: 120_000 },
  async () => {
    const app = await startApp()
    // SQLite has one server.
    const apps = inject('database') === 'postgres' ? [app, await startApp({ beside: app })] : [app]
    for (const { startJobs } of apps) await startJobs()
    const { create, runs, run, until, path } = workflowsOf(app)
    const records = recordsOf(app, 'memberKey')
    /** One server after another; what runs in between sees clocks that differ. */
    const jump = async (ms: number) => {
      for (const one of apps) {
        await one.advance(ms)
        await sleep(looksMs)
      }
    }
    const make = async (name: string, ...blocks: Json[]) =>
      (await create({ name, enabled: true, ...chain(onDeal(name), ...blocks, comment) }, 'adminKey')).id
    const delays = await make('Delays', {
      key: 'pause',
      plugin_id: 'general:delay:for',
      input: { amount: 30, unit: 'minutes' },
    })
    const waits = await make('Waits', {
      key: 'pause',
      plugin_id: 'general:wait:event',
      input: {
        plugin_id: 'on:svc:update:record',
        input: { object: 'deal', fields: ['amount'] },
        timeout: { amount: 90, unit: 'minutes' },
      },
    })
    const begunAt = app.now()
    const hourly = `${new Date(begunAt + 30 * minuteMs).getUTCMinutes()} * * * *`
    const { id: scheduled } = await create(
      { name: 'Hourly', enabled: true, trigger: { plugin_id: 'on:general:time:heartbeat', input: { cron: hourly } } },
      'adminKey',
    )
    const statuses = async (id: string): Promise<string[]> =>
      (await runs(id, 'adminKey')).toReversed().map(({ attributes }) => attributes.status)
    const both = async () => [await statuses(delays), await statuses(waits)]
    const add = async (name: string): Promise<Json> => {
      const made = await records.create('deal', { name: `${name} ${nextNumber()}` })
      const id = name === 'Delays' ? delays : waits
      await until(
        async () =>
          (await runs(id, 'adminKey')).find(({ attributes }) => attributes.record_id === made.id)?.attributes.status ===
          'waiting',
      )
      return made
    }

    await add('Delays')
    const woken = await add('Waits')
    await add('Waits')
    await jump(hourMs)
    await until(async () => (await statuses(delays))[0] === 'success')
    expect(await both()).toEqual([['success'], ['waiting', 'waiting']])
    await add('Delays')
    await jump(-hourMs)
    expect(await both()).toEqual([
      ['success', 'waiting'],
      ['waiting', 'waiting'],
    ])
    await records.patch('deal', woken.id, { amount: 1 })
    await until(async () => (await statuses(waits))[0] === 'success')
    await jump(hourMs)
    expect(await both()).toEqual([
      ['success', 'waiting'],
      ['success', 'waiting'],
    ])
    await jump(hourMs)
    await until(async () => (await both()).flat().every((status) => status === 'success'))
    await jump(-hourMs)
    await jump(hourMs)
    expect(await both()).toEqual([
      ['success', 'success'],
      ['success', 'success'],
    ])

    const found = await Promise.all(
      [...(await runs(delays, 'adminKey')), ...(await runs(waits, 'adminKey'))].map(({ id }) => run(id, 'adminKey')),
    )
    for (const { attributes } of found)
      expect(attributes.steps.map(({ block_id, status }: Json) => [block_id, status])).toEqual([
        ['pause', 'success'],
        ['then', 'success'],
      ])
    const query = { 'filter[type]': 'comment.created', limit: '200' }
    const { body } = await app.api.get('/workspaces/acme/events', { as: 'adminKey', query })
    expect(body.data).toHaveLength(4)
    const times: string[] = await Promise.all(
      (await runs(scheduled, 'adminKey')).map(
        async ({ id }) => (await run(id, 'adminKey')).attributes.trigger.state.event.data.scheduled_at,
      ),
    )
    expect(times.toSorted()).toEqual(
      [30, 90].map((minutes) => {
        const at = new Date(begunAt + minutes * minuteMs)
        at.setUTCSeconds(0, 0)
        return at.toISOString()
      }),
    )
    await app.api.delete(`${path}/${scheduled}`, { as: 'adminKey' })
  },
)
