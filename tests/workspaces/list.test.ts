import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'

const { api, trpc } = await startApp()

test('lists the workspaces of the signed-in user, in one page', async () => {
  const { status, body } = await api.get('/workspaces', { as: 'member' })
  expect(status).toBe(200)
  expect(body).toEqual({
    data: [
      {
        type: 'workspace',
        id: expect.any(String),
        attributes: { slug: 'acme', name: 'Acme', organization_id: expect.any(String), created_at: expect.any(String) },
      },
    ],
    meta: { total_records: 1, total_pages: 1, offset: 0, limit: 1 },
    links: { next: null, prev: null },
  })
})

test('answers the same over tRPC', async () => {
  const { body } = await api.get('/workspaces', { as: 'stranger' })
  expect(await trpc('stranger').workspaces.list.query({})).toEqual(body)
})
