import { describe, expect, inject, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { followEvents } from '../harness/event-stream.ts'
import type { Json } from '../harness/http.ts'
import { nodeOfItsOwn } from '../harness/lost-node.ts'
import { receiver } from '../harness/receiver.ts'
import { until } from '../harness/until.ts'

/** `data_corrupted` */
const corrupted = 'XX001'

const isCreation = ({ attributes }: Json): boolean => attributes.type === 'record.created'

/** An app with jobs; acme and other each have a webhook, and a stream that is open. */
async function startFollowed() {
  const app = await startApp()
  await app.startJobs()
  const there = await receiver()
  const follow = async (workspace: string, as: 'admin' | 'stranger') => {
    const path = `/workspaces/${workspace}`
    const body = { url: `${there.url}/${workspace}`, events: ['record.created'] }
    expect((await app.api.post(`${path}/webhooks`, { as, body })).status).toBe(201)
    const stream = await followEvents(app, { as, workspace })
    const create = async (): Promise<string> => {
      const sent = { as, body: { data: { type: 'person', attributes: {} } } }
      const { status, body: made } = await app.api.post(`${path}/objects/person/records`, sent)
      expect(status).toBe(201)
      return made.data.id
    }
    return {
      create,
      told: (): string[] => stream.events.filter(isCreation).map(({ attributes }) => attributes.record_id),
      delivered: (): string[] =>
        there.got.filter((one) => one.path.endsWith(`/${workspace}`)).map(({ body: one }) => one.record_id),
    }
  }
  return { app, acme: await follow('acme', 'admin'), other: await follow('other', 'stranger') }
}

describe.runIf(inject('database') === 'postgres')('a workspace whose rows cannot be read', () => {
  test('keeps no stream and no webhook of another waiting, and its own events come once it can', async () => {
    const { app, acme, other } = await startFollowed()
    const node = await nodeOfItsOwn(app.databaseUrl, await app.workspaceId('acme'), ['event_head', 'event_cursor'])
    await node.lose()
    const late: string[] = []
    const made: string[] = []
    for (let turn = 0; turn < 3; turn++) {
      late.push(await acme.create())
      made.push(await other.create())
      await until(() => other.told().length === made.length, { what: 'the events of the other workspace' })
      await until(() => other.delivered().length === made.length, { what: 'the requests to its webhook' })
    }
    expect(other.told()).toEqual(made)
    expect(acme.told()).toEqual([])
    await node.restore()
    await until(() => acme.told().length >= late.length, { what: 'the events that waited' })
    await until(() => acme.delivered().length >= late.length, { what: 'the requests that waited' })
    expect(acme.told()).toEqual(late)
    expect(acme.delivered().toSorted()).toEqual(late.toSorted())
  })

  test('keeps no stream of another waiting where only its events cannot be read', async () => {
    const { app, acme, other } = await startFollowed()
    const node = await nodeOfItsOwn(app.databaseUrl, await app.workspaceId('acme'), ['event'])
    await acme.create()
    await until(() => acme.told().length === 1, { what: 'the first event' })
    await node.lose(corrupted)
    const late = await acme.create()
    const made = await other.create()
    await until(() => other.told().length > 0, { what: 'the event of the other workspace' })
    expect(other.told()).toEqual([made])
    await node.restore()
    await until(() => acme.told().length > 1, { what: 'the event that waited' })
    expect(acme.told().at(-1)).toBe(late)
    app.takeErrors()
  })
})
