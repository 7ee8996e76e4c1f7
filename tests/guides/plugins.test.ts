import { expect, test } from 'vitest'
import { z } from 'zod'
import { startApp } from '../harness/app.ts'

const app = await startApp()

const plugins = z.object({ data: z.array(z.object({ id: z.string(), attributes: z.record(z.string(), z.unknown()) })) })

/** The docs are built without the server, so what it answers is committed; `vitest run guides/plugins -u` writes it. */
test('the catalogue of triggers and blocks in the docs is that of this server', async () => {
  const { status, body } = await app.api.get('/workspaces/acme/workflow-plugins')
  expect(status).toBe(200)
  // Whether a block can be used depends on the settings of a server.
  const told = plugins.parse(body).data.map(({ id, attributes }) => ({ id, ...attributes, available: undefined }))
  expect(told.length).toBeGreaterThan(30)
  await expect(`${JSON.stringify(told, null, 1)}\n`).toMatchFileSnapshot('../../packages/docs/src/site/plugins.json')
})
