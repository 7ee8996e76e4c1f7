import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { recordsOf } from '../harness/records.ts'
import { rounds } from '../harness/size.ts'
import { workflowsOf } from '../harness/workflows.ts'

const onPerson = { plugin_id: 'on:svc:create:record', input: { object: 'person' } }

test('from the moment on that a workflow is disabled, no run of it begins', async () => {
  const app = await startApp()
  await app.startJobs()
  const { create, path } = workflowsOf(app)
  const { id } = await create({ name: 'Off', enabled: true, trigger: onPerson })
  const begun = async (): Promise<number> => (await app.api.get(`${path}/${id}/runs`)).body.meta.total_records
  const records = recordsOf(app)
  for (let round = 0; round < rounds(100, 10); round++) {
    await app.api.patch(`${path}/${id}`, { body: { enabled: true } })
    await records.createMany('person', [{}, {}, {}])
    await sleep(40 + Math.random() * 40)
    await app.api.patch(`${path}/${id}`, { body: { enabled: false } })
    const before = await begun()
    await sleep(150)
    expect(await begun()).toBe(before)
  }
})
