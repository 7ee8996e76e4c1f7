import { contract, type Endpoint } from '@kontor/contract'
import type { Failure } from '../../../kernel/errors.ts'
import type { InProcessCall } from '../../../kernel/invoke/in-process.ts'
import { invariant } from '../../../lib/guards.ts'
import type { BlockContext } from '../../plugins/index.ts'

type Input = Readonly<Record<string, unknown>>

/** Responses of operations, by their names; they must fit the contract. */
export type Answers = Readonly<Record<string, (input: Input) => unknown>>

/** A call that a block made, and whether it changed anything. */
export type CallMade = { readonly name: string; readonly input: Input; readonly hasEffect: boolean }

/** Makes the next call of an operation fail, or all of them; `isLate`: what it was to do is done, and not answered. */
export type StandInFault = {
  readonly name: string
  readonly failure: Failure
  readonly isLasting: boolean
  readonly isLate?: true
}

/**
 * Stands in for the API where a block is tried: it gives set answers, and keeps the promise of idempotency keys, so
 * that a call without one shows as a second effect.
 */
export class StandIn {
  readonly calls: CallMade[] = []
  readonly #answers: Answers
  readonly #byKey = new Map<string, unknown>()
  #fault: StandInFault | undefined

  constructor(answers: Answers, fault?: StandInFault) {
    this.#answers = answers
    this.#fault = fault
  }

  readonly call: InProcessCall = async <T>(name: string, input: Input, options: { idempotencyKey?: string } = {}) => {
    const endpoint = endpointOf(name)
    const fault = this.#fault?.name === name ? this.#fault : undefined
    if (fault?.isLasting === false) this.#fault = undefined
    if (fault !== undefined && fault.isLate !== true) throw fault.failure
    const key = options.idempotencyKey === undefined ? undefined : `${name} ${options.idempotencyKey}`
    const isRepeated = key !== undefined && this.#byKey.has(key)
    const answer = isRepeated ? this.#byKey.get(key) : this.#answer(name, input)
    if (key !== undefined) this.#byKey.set(key, answer)
    const isRead = endpoint.method === 'GET' || endpoint.safe === true
    this.calls.push({ name, input, hasEffect: !isRead && !isRepeated && input['dry_run'] !== true })
    if (fault !== undefined) throw fault.failure
    const isAnswer: IsAnswer<T> = answerOf(endpoint)
    invariant(isAnswer(answer), `the contract has no such answer of ${name}: ${JSON.stringify(answer)}`)
    return answer
  }

  get effects(): number {
    return this.calls.filter(({ hasEffect }) => hasEffect).length
  }

  #answer(name: string, input: Input): unknown {
    const answer = this.#answers[name]
    invariant(answer !== undefined, `the example has no answer of ${name}`)
    return answer(input)
  }
}

function endpointOf(name: string): Endpoint {
  const domains: Readonly<Record<string, Readonly<Record<string, Endpoint>>>> = contract
  const [domain = '', key = ''] = name.split('.')
  const endpoint = domains[domain]?.[key]
  invariant(endpoint !== undefined, `there is no operation ${name}`)
  return endpoint
}

type IsAnswer<T> = (answer: unknown) => answer is T

const answerOf =
  <T>({ response, alternativeStatus }: Endpoint): IsAnswer<T> =>
  (answer): answer is T =>
    [response, alternativeStatus?.response].some((schema) => schema?.safeParse(answer).success === true)

const stepKey = 'run-1:block-1'

/** The time at which blocks are tried. */
export const triedAt = Date.UTC(2026, 5, 15, 12)

/** Returns the context of a block under test; a committed step is not repeated under its key. */
export const contextOf = (call: InProcessCall, changes: Partial<BlockContext> = {}): BlockContext => ({
  call,
  commit: async (name, input, told) =>
    told(await call(name, input, { idempotencyKey: changes.idempotencyKey ?? stepKey })),
  callByName: () => Promise.reject(new Error('No block that is tried here calls by name')),
  now: triedAt,
  signal: new AbortController().signal,
  workspace: { id: 'workspace-1', slug: 'acme' },
  actor: { kind: 'user', userId: 'user-1', scopes: [] },
  workflowType: 'workflow',
  block: 'block-1',
  timeZone: async () => 'UTC',
  localTime: async () => ({ zone: 'UTC', fiscalOffset: 0 }),
  objectNamed: async () => undefined,
  record: null,
  run: { id: 'run-1', workflowId: 'workflow-1', isDryRun: false },
  idempotencyKey: stepKey,
  begunAt: 0,
  earlier: [],
  iteration: 0,
  spent: { calls: 0, tokens: 0 },
  spend: () => undefined,
  scope: {},
  resumed: undefined,
  log: () => undefined,
  ...changes,
})

/** A record as the API answers it. */
export const answeredRecord = (type: string, id: string, attributes: object = {}, relationships: object = {}) => ({
  type,
  id,
  attributes: {
    _id: id,
    ...attributes,
    _created_at: '2026-06-15T12:00:00.000Z',
    _created_by: 'user-1',
    _updated_at: '2026-06-15T12:00:00.000Z',
    _updated_by: 'user-1',
  },
  relationships,
})
