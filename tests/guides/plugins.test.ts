import { expect, test } from 'vitest'
import { z } from 'zod'
import { startApp } from '../harness/app.ts'

const app = await startApp()

const plugins = z.object({ data: z.array(z.object({ id: z.string(), attributes: z.record(z.string(), z.unknown()) })) })

type Schema = { readonly properties?: Readonly<Record<string, { readonly example?: unknown }>> }

/** The example of an input in the docs: the examples of its members. */
const exampleOf = ({ properties = {} }: Schema): object =>
  Object.fromEntries(
    Object.entries(properties).flatMap(([name, { example }]) => (example === undefined ? [] : [[name, example]])),
  )

/** Faults that depend on the workspace, the server, the graph and the object, and not on the form of an input. */
const ofItsPlace =
  /which no node before it provides|^There is no (?:list|block)|requires settings that this server does not have/

test('the example of each block is one that a workflow takes', async () => {
  const { body } = await app.api.get('/workspaces/acme/workflow-plugins')
  const refused: unknown[] = []
  for (const { id, attributes } of plugins.parse(body).data) {
    if (!(attributes['kinds'] as string[]).includes('action')) continue
    const one = { plugin_id: id, input: exampleOf(attributes['input'] as Schema), prev: 'trigger', next: null }
    const trigger = { plugin_id: 'on:svc:create:record', input: { object: 'deal' }, next: 'one' }
    const workflow = { name: id, enabled: true, trigger, blocks: { one } }
    const { status, body: answer } = await app.api.post('/workspaces/acme/workflows', { body: workflow })
    const faults = (status === 201 ? [] : answer.errors).filter(
      ({ detail }: { detail: string }) => !ofItsPlace.test(detail),
    )
    refused.push(...faults.map(({ detail }: { detail: string }) => [id, detail]))
  }
  expect(refused).toEqual([])
})

/** The docs are built without the server, so what it answers is committed; `vitest run guides/plugins -u` writes it. */
test('the catalogue of triggers and blocks in the docs is that of this server', async () => {
  const { status, body } = await app.api.get('/workspaces/acme/workflow-plugins')
  expect(status).toBe(200)
  // The availability of a block depends on the settings of a server.
  const told = plugins.parse(body).data.map(({ id, attributes }) => ({ id, ...attributes, available: undefined }))
  expect(told.length).toBeGreaterThan(30)
  await expect(`${JSON.stringify(told, null, 1)}\n`).toMatchFileSnapshot('../../packages/docs/plugins.json')
})
