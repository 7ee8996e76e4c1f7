import { z } from 'zod'
import { expect, test } from 'vitest'
import { contract, isReplacement, readsOne, type Endpoint } from '@kontor/contract'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { exampleInput, select } from './endpoints.ts'
import { rest } from './surfaces.ts'

const app = await startApp()

/** The operation that reads what another one changes: one resource at the same path. */
const readerOf = (path: string): Endpoint | undefined =>
  Object.values(contract)
    .flatMap((domain): Endpoint[] => Object.values(domain))
    .find((endpoint) => endpoint.path === path && readsOne(endpoint))

const changes = select((endpoint) => isReplacement(endpoint) && readerOf(endpoint.path) !== undefined)

/** The forms in which a body takes what was read: answers wrap their attributes, or are bare. */
function formsOf({ body }: Endpoint, read: Json): Json[] {
  const isBareForm = body instanceof z.ZodUnion || !(body instanceof z.ZodObject && 'data' in body.shape)
  const isWrappedForm = read.data !== undefined && (body instanceof z.ZodUnion || !isBareForm)
  return [...(isWrappedForm ? [{ data: read.data }] : []), ...(isBareForm ? [read.data?.attributes ?? read] : [])]
}

test.each(changes)('%s: takes what was read, unchanged, and changes nothing', async (name, endpoint) => {
  const { body: _other, ...input } = await exampleInput(app, name, endpoint)
  const reader = readerOf(endpoint.path)!
  const { body: read } = await rest(app, name, reader, input)
  const forms = formsOf(endpoint, read)
  expect(forms.length).toBeGreaterThan(0)
  for (const body of forms) {
    const sent = await rest(app, name, endpoint, { ...input, body })
    expect([sent.status, sent.body.errors]).toEqual([200, undefined])
    expect((await rest(app, name, reader, input)).body).toEqual(read)
  }
})

test('what cannot be changed is refused where it differs from what is read', async () => {
  const [name, endpoint] = changes.find(([one]) => one === 'lists.update')!
  const { body: _other, ...input } = await exampleInput(app, name, endpoint)
  const { body: read } = await rest(app, name, readerOf(endpoint.path)!, input)
  const body = { ...read.data.attributes, entity: 'deal' }
  const { status, body: answer } = await rest(app, name, endpoint, { ...input, body })
  expect([status, answer.errors]).toMatchObject([
    422,
    [{ source: { pointer: '/entity' }, detail: '`entity` cannot be changed: omit it, or send it unchanged.' }],
  ])
})
