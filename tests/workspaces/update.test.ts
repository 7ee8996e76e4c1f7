import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { pointersOf, unknownId } from '../harness/records.ts'

const { api } = await startApp()

const rename = (attributes: Json, more: Json = {}) =>
  api.patch('/workspaces/acme', { body: { data: { type: 'workspace', attributes, ...more } } })
const current = async () => (await api.get('/workspaces')).body.data[0]

test('renames the workspace; the slug and everything else stay', async () => {
  const before = await current()
  const { status, body } = await rename({ name: '  Acme Europe  ' })
  expect([status, body]).toEqual([
    200,
    { data: { ...before, attributes: { ...before.attributes, name: 'Acme Europe' } } },
  ])
  expect(await current()).toEqual(body.data)
})

describe('refused, and nothing changes', () => {
  const cases: [string, Json, Json, string[]][] = [
    ['a slug', { name: 'X', slug: 'other' }, {}, ['/data/attributes/slug']],
    ['an empty name', { name: '' }, {}, ['/data/attributes/name']],
    ['a name of blanks', { name: '   ' }, {}, ['/data/attributes/name']],
    ['a name of 201 characters', { name: 'x'.repeat(201) }, {}, ['/data/attributes/name']],
    ['another id', { name: 'X' }, { id: unknownId }, ['/data/id']],
  ]
  test.for(cases)('%s', async ([, attributes, more, pointers]) => {
    const before = await current()
    const answer = await rename(attributes, more)
    expect([answer.status, pointersOf(answer)]).toEqual([422, pointers])
    expect(await current()).toEqual(before)
  })

  test('by a member', async () => {
    const before = await current()
    const { status } = await api.patch('/workspaces/acme', {
      as: 'member',
      body: { data: { type: 'workspace', attributes: { name: 'Mine' } } },
    })
    expect(status).toBe(403)
    expect(await current()).toEqual(before)
  })
})

test('takes its own id', async () => {
  const { id } = await current()
  expect((await rename({ name: 'Acme' }, { id })).status).toBe(200)
})
