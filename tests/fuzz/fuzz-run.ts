import { expect } from 'vitest'
import { isMutation } from '@kontor/contract'
import { all } from '../conformance/endpoints.ts'
import { authorizationOf } from '../harness/api.ts'
import type { TestApp } from '../harness/app.ts'
import { createKey, type Caller as CallerName } from '../harness/people.ts'
import { Connections } from './connection.ts'
import { anyRequest, quietRequest, type Callers, type Generating } from './generate.ts'
import { toldBy } from './oracle.ts'
import { fillOther, type Secrets } from './other-workspace.ts'
import { Random } from '../harness/random.ts'
import type { Caller } from './spell.ts'
import { replayFault, Verdicts } from './verdicts.ts'
import type { WireAnswer, WireRequest } from './wire.ts'
import { Words, type Objects } from './words.ts'

/** Requests that are under way together; those of the next batch know what these have learnt. */
const batchSize = 64
const connectionsMax = 32

/** Every so many batches one may change nothing, and is held to it. */
const quietEvery = 50
/** Jobs are run, so that an object whose schema is being changed can be changed again. */
const workEvery = 8
/** Schemas are read again, all users sign in again, and keys that were revoked are made anew. */
const refreshEvery = 100

const failuresMax = 8

type Answered = { readonly request: WireRequest; readonly index: number; readonly answer: WireAnswer | undefined }

/** Sends requests made from the contract and from what earlier answers told, and has every answer judged. */
export class FuzzRun {
  readonly verdicts: Verdicts
  readonly #app: TestApp
  readonly #seed: number
  readonly #words: Words
  readonly #connections: Connections
  #callers: Callers
  #index = 0

  private constructor(app: TestApp, seed: number, words: Words, secrets: Secrets, callers: Callers) {
    this.#app = app
    this.#seed = seed
    this.#words = words
    this.#callers = callers
    const connections = new Connections(app.origin, connectionsMax)
    this.#connections = connections
    this.verdicts = new Verdicts({
      secrets,
      origin: app.origin,
      send: (request) => connections.send(request),
      takeErrors: app.takeErrors,
    })
  }

  static async begin(app: TestApp, seed: number): Promise<FuzzRun> {
    const { secrets, foreign } = await fillOther(app)
    return new FuzzRun(app, seed, new Words(await objectsOf(app), foreign), secrets, await callersOf(app))
  }

  /** Stops early where enough has failed. */
  async run(requests: number): Promise<void> {
    const until = this.#index + requests
    for (let batch = 1; this.#index < until && this.verdicts.count < failuresMax; batch++) {
      if (batch % workEvery === 0) await this.#app.idle()
      if (batch % refreshEvery === 0) await this.#refresh()
      await (batch % quietEvery === 0 ? this.#quietBatch() : this.#batch(anyRequest))
    }
  }

  close(): void {
    this.#connections.close()
  }

  async #refresh(): Promise<void> {
    await this.#app.advance(0)
    await this.#app.restoreMembers()
    this.#callers = await callersOf(this.#app)
    this.#words.objects = await objectsOf(this.#app)
  }

  async #quietBatch(): Promise<void> {
    const acme = await this.#app.workspaceId('acme')
    await this.#app.cleaned()
    await this.#app.restoreMembers()
    const before = await this.#app.rows(acme)
    await this.#batch(quietRequest)
    expect(
      await this.#app.rows(acme),
      `requests ${this.#index - batchSize} to ${this.#index - 1} of seed ${this.#seed} change nothing`,
    ).toEqual(before)
  }

  /** All of a batch are made before any is sent, so that the same seed makes the same choices. */
  async #batch(make: (generating: Generating) => WireRequest): Promise<void> {
    await this.#app.restoreMembers()
    const requests = Array.from({ length: batchSize }, () => ({
      index: this.#index,
      request: make(this.#generating(this.#index++)),
    }))
    const answered = await Promise.all(
      requests.map(async (one): Promise<Answered> => ({ ...one, answer: await this.#send(one.request, one.index) })),
    )
    for (const { request, answer, index } of answered) if (answer !== undefined) this.#take(request, answer, index)
    for (const one of answered) await this.#replay(one)
    await this.verdicts.explain()
  }

  #generating(index: number): Generating {
    return { random: new Random(this.#seed, index), words: this.#words, callers: this.#callers, endpoints: all }
  }

  async #send(request: WireRequest, index: number): Promise<WireAnswer | undefined> {
    try {
      return await this.#connections.send(request)
    } catch (error) {
      this.verdicts.add(request, (error as Error).message, index)
      return undefined
    }
  }

  #take(request: WireRequest, answer: WireAnswer, index: number): void {
    this.verdicts.judge(request, answer, index)
    if (answer.status >= 300 || request.astray || request.method === 'HEAD') return
    if (request.endpoint.method === 'DELETE') this.#words.forget(`${request.target} ${request.body?.toString() ?? ''}`)
    const collection = request.endpoint.path
      .split('/')
      .findLast((segment) => segment !== '' && !segment.startsWith('{')) as string
    const told = toldBy(request, answer)?.body
    this.#words.learn(collection, told, answer.headers['etag'])
    const [, object, record] = /\/objects\/(\w+)\/records\/([\w-]+)\/access(?:$|\?)/.exec(request.target) ?? []
    if (object !== undefined && record !== undefined) this.#words.learnGrants(object, record, told)
  }

  /** Sends once more what was done under a key: it may not be done twice. */
  async #replay({ request, index, answer }: Answered): Promise<void> {
    const keyed = request.headers.filter(([name]) => name === 'Idempotency-Key').length === 1
    if (
      answer === undefined ||
      answer.status >= 300 ||
      !keyed ||
      request.batch !== undefined ||
      answer.text.includes('"dry_run":true') ||
      request.astray ||
      !isMutation(request.endpoint)
    )
      return
    const again = await this.#send(request, index)
    const fault = again && replayFault(request, answer, again)
    if (fault !== undefined) this.verdicts.add(request, fault, index)
  }
}

async function objectsOf(app: TestApp): Promise<Objects> {
  const { body } = await app.api.get('/workspaces/acme/schemas', { query: { 'page[limit]': 200 } })
  return new Map(body.data.map(({ attributes }: { attributes: { title: string } }) => [attributes.title, attributes]))
}

async function callersOf(app: TestApp): Promise<Callers> {
  const caller = (as: CallerName, name: string): Caller => ({
    name,
    authorization: authorizationOf(as, app.credentials),
  })
  const keyed = async (
    name: string,
    ...[as, options]: [as: 'admin' | 'member', options?: Parameters<typeof createKey>[2]]
  ): Promise<Caller> => ({ name, authorization: `api-key ${(await createKey(app.api.post, as, options)).key}` })
  const [admin, member] = [caller('admin', 'admin'), caller('member', 'member')]
  const keys = await Promise.all([
    keyed('admin_key', 'admin'),
    keyed('member_key', 'member'),
    keyed('workspace_key', 'admin', { kind: 'workspace' }),
    keyed('narrow_key', 'member', { scopes: ['records:read:person', 'schemas:read'] }),
  ])
  return {
    usual: [admin, admin, admin, admin, member, member, ...keys],
    powerless: [caller('viewer', 'viewer'), caller('anonymous', 'anonymous')],
    outside: [caller('stranger', 'stranger'), caller('strangerKey', 'stranger_key')],
  }
}
