import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { unknownId } from '../harness/records.ts'
import { chain, workflowsOf } from '../harness/workflows.ts'

const app = await startApp()
const { path } = workflowsOf(app)

const onDeal = { plugin_id: 'on:svc:create:record', input: { object: 'deal' } }

/** The status of a refusal, and what it says of places. */
async function told(answer: Promise<Json>): Promise<Json> {
  const { status, body } = await answer
  return [status, body.errors.map((error: Json) => [error.source, error.meta])]
}

/** A draft that comments on a deal, with some more inputs. */
const commenting = (input: Json) => ({
  name: 'Draft',
  ...chain(onDeal, { key: 'say', plugin_id: 'svc:create:comment', input: { message: 'Won', ...input } }),
})

describe('a draft', () => {
  const unknownMember = { pointer: '/blocks/say/input/owner_id' }

  test('may lack inputs, but has no unknown ones', async () => {
    const apiNames = await app.api.post(path, { body: commenting({ entity: 'deal', owner_id: unknownId }) })
    expect(apiNames.status).toBe(422)
    expect(apiNames.body.errors).toMatchObject([
      {
        code: 'invalid_body',
        detail: 'Unknown member "owner_id". Allowed: object, record_id, message.',
        source: unknownMember,
        meta: { node: 'say' },
      },
    ])
    expect(
      (await app.api.post(path, { body: commenting({ entity: 'deal' }) })).body.data.attributes.blocks.say.input,
    ).toEqual({ object: 'deal', message: 'Won' })
  })

  test('gets none by a change, and none in its trigger or exits', async () => {
    const { data } = (await app.api.post(path, { body: commenting({ object: 'deal' }) })).body
    const change = (body: Json) => told(app.api.patch(`${path}/${data.id}`, { body }))
    const { blocks } = commenting({ object: 'deal', owner_id: unknownId })
    expect(await change({ blocks })).toEqual([422, [[unknownMember, { node: 'say' }]]])
    expect(await change({ trigger: { ...onDeal, input: { objekt: 'deal' } } })).toEqual([
      422,
      [[{ pointer: '/trigger/input/objekt' }, undefined]],
    ])
    const exits = { left: { plugin_id: 'on:svc:delete:record', input: { object: 'deal', recrod_id: unknownId } } }
    expect(await change({ exits })).toEqual([422, [[{ pointer: '/exits/left/input/recrod_id' }, { node: 'left' }]]])
    expect((await app.api.patch(`${path}/${data.id}`, { body: { name: 'Renamed' } })).status).toBe(200)
  })
})
