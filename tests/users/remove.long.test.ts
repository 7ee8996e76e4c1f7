import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'

const app = await startApp()

const users = '/workspaces/acme/users'

test('another app learns within five seconds that a member was removed', async () => {
  const node = await startApp({ beside: app })
  const grace = await app.addMember('member', 'late')
  expect((await node.api.get(users, { as: grace.as })).status).toBe(200)
  await app.api.delete(`${users}/${grace.id}`)
  const removedAt = performance.now()
  while ((await node.api.get(users, { as: grace.as })).status !== 404) {
    expect(performance.now() - removedAt).toBeLessThan(6000)
    await sleep(100)
  }
})
