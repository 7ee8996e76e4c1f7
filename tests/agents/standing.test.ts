import { expect, test } from 'vitest'
import { agentsOf, agentsPath, program } from '../harness/agents.ts'
import { startApp } from '../harness/app.ts'

/** Its jobs begin with the first wait for a run. */
const app = await startApp()
const { api } = app
const { create, begin, run, ended, until } = agentsOf(app)

test('a run that is to begin ends where its agent is disabled, and rests where its owner has left', async () => {
  const code = program(`return client.resources.list({ type: 'task' })`)
  const off = await create({ scopes: ['records:read'], code })
  const disabled = await begin(off.id)
  await api.patch(`${agentsPath}/${off.id}`, { as: 'member', body: { enabled: false } })
  const leaver = await app.addMember('member', 'leaver')
  const left = await create({ scopes: ['records:read'], code }, leaver.as)
  const abandoned = await begin(left.id, {}, leaver.as)
  expect((await api.delete(`/workspaces/acme/users/${leaver.id}`)).status).toBeLessThan(300)

  expect((await ended(off.id, disabled.id)).attributes).toMatchObject({
    status: 'failed',
    error: { code: 'agent_disabled' },
    steps: [],
  })
  const held = await until(async () => {
    const { attributes } = await run(left.id, abandoned.id)
    return attributes.status === 'held' && attributes
  })
  expect(held).toMatchObject({ held_reason: 'owner_left', error: null })
  expect((await api.get(`${agentsPath}/${left.id}`)).body.data.attributes).toMatchObject({
    enabled: false,
    stopped_reason: 'owner_left',
  })
})
