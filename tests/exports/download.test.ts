import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { exportsOf } from '../harness/exports.ts'
import { createKey, type Caller } from '../harness/people.ts'

const app = await startApp()

/** Exports the companies of a caller; returns the id. */
async function exportedBy(as: Caller): Promise<string> {
  const own = exportsOf(app, as)
  const { body } = await own.create({ kind: 'records', object: 'company' })
  await own.ended(body.data.id)
  return body.data.id
}

const status = async (id: string, as: Caller): Promise<number> =>
  (await app.api.get(`/workspaces/acme/exports/${id}/download`, { as })).status

const keyOf = async (as: Caller, scopes: readonly string[]): Promise<Caller> => ({
  authorization: `api-key ${(await createKey(app.api.post, as, { scopes })).key}`,
})

// First, since no job runs in this file before.
test('an export that waits ends without a file once its creator may read less', async () => {
  const { id: user, as } = await app.addMember('member', 'Leaving')
  const { body } = await exportsOf(app, as).create({ kind: 'records', object: 'company' })
  await app.api.patch(`/workspaces/acme/users/${user}`, { body: { role: 'viewer' } })
  const { state, error } = await exportsOf(app, as).ended(body.data.id)
  expect([state, error]).toEqual(['failed', expect.stringContaining('may no longer read this')])
})

test('others do not find an export, and admins see it without its file', async () => {
  const id = await exportedBy('member')
  expect((await exportsOf(app, 'viewer').get(id)).status).toBe(404)
  expect((await exportsOf(app, 'admin').get(id)).status).toBe(200)
  expect([await status(id, 'member'), await status(id, 'admin')]).toEqual([200, 404])
})

test('a key that may read less than the export was started with does not download it', async () => {
  const wide = await keyOf('member', [])
  const reading = await keyOf('member', ['records:read'])
  const narrow = await keyOf('member', ['records:read:company'])
  const ids = [await exportedBy(wide), await exportedBy(reading), await exportedBy(narrow)]
  const seen = async (as: Caller) => Promise.all(ids.map((id) => status(id, as)))
  expect(await seen(wide)).toEqual([200, 200, 200])
  expect(await seen(reading)).toEqual([404, 200, 200])
  expect(await seen(narrow)).toEqual([404, 404, 200])
})

test('a member who has been demoted does not download what they have exported before', async () => {
  const { id: user, as } = await app.addMember('member', 'Demoted')
  const id = await exportedBy(as)
  expect(await status(id, as)).toBe(200)
  await app.api.patch(`/workspaces/acme/users/${user}`, { body: { role: 'viewer' } })
  expect(await status(id, as)).toBe(404)
})
