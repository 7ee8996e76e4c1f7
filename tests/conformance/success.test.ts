import { randomUUID } from 'node:crypto'
import { isConditional, withoutBody } from '@kontor/contract'
import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { turnOf } from '../harness/size.ts'
import { all, exampleInput, select, workspaced, type Input } from './endpoints.ts'
import { expectSuccess } from './expect.ts'
import { rest } from './surfaces.ts'

const app = await startApp()

test.for(all)('%s succeeds as it declares', async ([name, endpoint]) => {
  const outcome = await rest(app, name, endpoint, await exampleInput(app, name, endpoint))
  expectSuccess(endpoint, outcome)
  expect(outcome.headers['content-type']).toBe(
    endpoint.response === withoutBody ? undefined : `${endpoint.media ?? 'application/json'}; charset=utf-8`,
  )
  expect(outcome.headers['idempotency-replayed']).toBeUndefined()
  if (isConditional(endpoint) || (endpoint.versioned && outcome.body?.data !== undefined))
    expect(outcome.headers['etag']).toMatch(/^"\d+"$/)
  else expect(outcome.headers['etag']).toBeUndefined()
})

/** Makes from a call that is right one that has the other success. */
const others: Readonly<Record<string, (input: Input) => Promise<Input> | Input>> = {
  'records.create': async (input) => {
    expectSuccess(recordsCreate, await rest(app, 'records.create', recordsCreate, input))
    return input
  },
  'access.create': async (input) => {
    expectSuccess(accessCreate, await rest(app, 'access.create', accessCreate, input))
    return input
  },
  'access.createOfObject': async (input) => {
    expectSuccess(accessOfObject, await rest(app, 'access.createOfObject', accessOfObject, input))
    return input
  },
  'comments.create': async (input) => {
    const own = { ...input, body: { ...input['body'], _id: randomUUID() } }
    expectSuccess(commentsCreate, await rest(app, 'comments.create', commentsCreate, own))
    return own
  },
  'suppressions.create': async (input) => {
    expectSuccess(suppressionsCreate, await rest(app, 'suppressions.create', suppressionsCreate, input))
    return input
  },
  'inboundWebhooks.workflow': async (input) => {
    const trigger = { plugin_id: 'on:svc:automation-webhook', input: { handshake: 'graph' } }
    await app.api.patch(`/workspaces/acme/workflows/${input['workflow_id']}`, { body: { trigger } })
    return { ...input, validationToken: 'Validation: 1' }
  },
  'records.createMany': (input) => ({ ...input, atomic: false }),
  'records.merge': (input) => ({ ...input, dry_run: true }),
}

test.for(select(({ alternativeStatus }) => alternativeStatus !== undefined))(
  '%s has its other success',
  async ([name, endpoint]) => {
    const bring = others[name]
    if (bring === undefined)
      throw new Error(`${name} has a second success: say in success.test.ts what brings it about.`)
    const { status, body } = await rest(app, name, endpoint, await bring(await exampleInput(app, name, endpoint)))
    expect(status, JSON.stringify(body)).toBe(endpoint.alternativeStatus?.status)
    expect((endpoint.alternativeStatus?.response ?? endpoint.response).parse(body)).toEqual(body)
  },
)

const lists = workspaced.filter(([, { query }]) => query !== undefined && 'page' in query.shape)

test.for(turnOf(21, lists))(
  '%s: pages of one record, followed by their links, are the whole list',
  async ([name, endpoint]) => {
    const input = await exampleInput(app, name, endpoint)
    for (let made = 0; made < 3; made++) await exampleInput(app, 'records.get', recordsGet)
    const whole = (await rest(app, name, endpoint, { ...input, page: { limit: 500 } })).body
    const found: unknown[] = []
    let page = await rest(app, name, endpoint, { ...input, page: { limit: 1 } })
    while (found.push(...page.body.data) < 1000) {
      expectSuccess(endpoint, page)
      expect(page.body.data).toHaveLength(1)
      if (page.body.meta !== undefined)
        expect(page.body.meta).toEqual({
          ...whole.meta,
          total_pages: whole.meta.total_records,
          offset: found.length - 1,
          limit: 1,
        })
      if (page.body.links.next === null) break
      expect(page.body.links.next).toMatch(new RegExp(`^${app.baseUrl}/`))
      expect(page.body.links.next).not.toMatch(/[[\]\s]/)
      page = await app.api.send(
        endpoint.method,
        page.body.links.next,
        input['body'] === undefined ? {} : { body: input['body'] },
      )
    }
    expect(found).toEqual(whole.data)
  },
)

const [, recordsGet] = all.find(([name]) => name === 'records.get')!
const [, accessCreate] = all.find(([name]) => name === 'access.create')!
const [, accessOfObject] = all.find(([name]) => name === 'access.createOfObject')!
const [, commentsCreate] = all.find(([name]) => name === 'comments.create')!
const [, suppressionsCreate] = all.find(([name]) => name === 'suppressions.create')!
const [, recordsCreate] = all.find(([name]) => name === 'records.create')!
