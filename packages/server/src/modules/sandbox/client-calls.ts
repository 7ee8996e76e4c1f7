import { z } from 'zod'
import type { Actor } from '../../kernel/actor.ts'
import { Failure } from '../../kernel/errors.ts'
import { derivedId } from '../../kernel/ids.ts'
import { isRecord } from '../../lib/guards.ts'
import type { OutboundClient } from '../../lib/outbound/client.ts'
import { OutboundFailure } from '../../lib/outbound/failure.ts'
import { unanswered, outputBytesMax, StepFailure, type BlockContext } from '../plugins/index.ts'
import type { CodeHost } from './code-runner.ts'
import type { HostAnswer, HostCall } from './protocol.ts'

/** Longest response that a program can read: it has 64 MiB for everything. */
const answerCharactersMax = 8 << 20

/** A page that a program may ask for; longer ones are streamed, which needs a network. */
const pageMax = 1000

const attributes = z.record(z.string(), z.unknown())
const type = z.string().min(1).max(64)
const id = z.string().min(1).max(64)
const page = z.looseObject({ limit: z.int().min(1).max(pageMax).optional() })

const listArgs = z.tuple([z.looseObject({ type, page: page.optional() })])
const getArgs = z.tuple([type, id])
const updateArgs = z.tuple([type, id, attributes])
const createArgs = z.tuple([type, z.array(attributes).min(1).max(pageMax)])
const fetchArgs = z.tuple([
  z.string().max(8192),
  z.looseObject({
    method: z.string().max(20).default('GET'),
    headers: z.record(z.string(), z.string()).default({}),
    body: z
      .string()
      .max(1 << 20)
      .optional(),
  }),
])

/** Services that send a request of a workflow. */
export type RequestSender = {
  readonly outbound: Pick<OutboundClient, 'send'>
  /** The headers that say which workflow sends it. */
  readonly chain: (actor: Actor) => Readonly<Record<string, string>>
}

/**
 * The only calls that the program of a step may make. `failures` keeps the failures of calls: a program that does
 * not catch it fails as the call did.
 */
export class ClientCalls implements CodeHost {
  readonly failures = new Map<number, Failure | StepFailure>()
  readonly #context: BlockContext
  readonly #services: RequestSender
  /** The number of times that the same call was made: the program may mean it twice. */
  readonly #times = new Map<string, number>()

  readonly #callsMax: number
  /** Calls of this attempt, and of those at the step that failed. */
  #made: number

  constructor(context: BlockContext, services: RequestSender, callsMax = Infinity) {
    this.#context = context
    this.#made = context.spent.calls
    this.#services = services
    this.#callsMax = callsMax
  }

  /** Why the program was refused a call, if it has asked for more than it may make. */
  get exceeded(): StepFailure | undefined {
    return this.#made > this.#callsMax ? callsExceeded(this.#callsMax) : undefined
  }

  line(line: string): void {
    this.#context.log(line)
  }

  async call({ id: callId, name, args }: HostCall): Promise<HostAnswer> {
    try {
      this.#made++
      this.#context.spend({ calls: 1 })
      if (this.exceeded !== undefined) throw this.exceeded
      const text = JSON.stringify(await this.#carryOut(name, args))
      if (text.length > answerCharactersMax)
        throw new StepFailure('answer_too_large', 'The response is too large for the code: request fewer records.')
      return { id: callId, isOk: true, text }
    } catch (error) {
      const failure = failureOf(error)
      this.failures.set(callId, failure)
      const { code, message } = failure
      const facts = failure instanceof Failure ? { status: failure.status } : {}
      return { id: callId, isOk: false, text: JSON.stringify({ message, code, ...facts }) }
    }
  }

  #carryOut(name: string, args: string): Promise<unknown> {
    const { call, workspace } = this.#context
    const given: unknown = JSON.parse(args)
    const { slug } = workspace
    switch (name) {
      case 'resources.list': {
        const [{ type: object, ...question }] = listArgs.parse(given)
        return call('resources.list', { ...question, workspace: slug, object })
      }
      case 'records.get': {
        const [object, recordId] = getArgs.parse(given)
        return call('records.get', { workspace: slug, object, id: recordId })
      }
      case 'records.update': {
        const [object, recordId, changes] = updateArgs.parse(given)
        const body = { data: { type: object, attributes: changes } }
        return this.#change('records.update', args, { workspace: slug, object, id: recordId, body })
      }
      case 'records.createBulk': {
        const [object, items] = createArgs.parse(given)
        const body = { data: items.map((item) => ({ type: object, attributes: attributesOf(item) })) }
        return this.#change('records.createMany', args, { workspace: slug, object, body })
      }
      case 'fetch':
        return this.#fetch(args, fetchArgs.parse(given))
      default:
        throw new StepFailure('code_failed', `There is no ${name}.`)
    }
  }

  #change(name: 'records.update' | 'records.createMany', args: string, input: Readonly<Record<string, unknown>>) {
    const { call, run, log } = this.#context
    if (!run.isDryRun) return call(name, input, { idempotencyKey: this.#keyOf(name, args) })
    log(`A test run only checks ${name}: ${args}`)
    return call(name, { ...input, dry_run: true })
  }

  /**
   * The same in each attempt for a call with the same content, so that it acts once. By what is asked and not by its
   * place in the order alone: after a crash a program may take another way.
   */
  #keyOf(name: string, args: string): string {
    const content = `${name} ${args}`
    const times = (this.#times.get(content) ?? 0) + 1
    this.#times.set(content, times)
    return derivedId('code', this.#context.idempotencyKey, content, String(times))
  }

  async #fetch(args: string, [url, { method: given, headers, body }]: z.infer<typeof fetchArgs>) {
    const { run, log, signal, actor } = this.#context
    const method = given.toUpperCase()
    const isRead = method === 'GET' || method === 'HEAD'
    if (run.isDryRun && !isRead) {
      log(`A test run does not send ${method} ${url}`)
      return { status: 200, headers: {}, body: '{}' }
    }
    const key = isRead ? {} : { 'idempotency-key': this.#keyOf('fetch', args) }
    const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
    const request = {
      method,
      url,
      headers: { ...key, ...lower, ...this.#services.chain(actor) },
      ...(body !== undefined && { body }),
      answerBytesMax: outputBytesMax,
    }
    const { status, headers: answered, body: text, isCut } = await this.#services.outbound.send(request, signal)
    if (isCut)
      throw new StepFailure('output_too_large', `The response of ${url} has more than ${outputBytesMax} bytes.`)
    return { status, headers: answered, body: text }
  }
}

/** A run has made all the calls that it may make. */
export const callsExceeded = (most: number): StepFailure =>
  new StepFailure('budget_calls', `The budget of the run is used up: ${most} calls.`)

/** An item is the attributes of a record, or a resource that has them. */
const attributesOf = (item: Readonly<Record<string, unknown>>): unknown =>
  isRecord(item['attributes']) && Object.keys(item).every((name) => name === 'type' || name === 'attributes')
    ? item['attributes']
    : item

/** Returns the failure that the program receives; any other error ends the program. */
function failureOf(error: unknown): Failure | StepFailure {
  if (error instanceof Failure || error instanceof StepFailure) return error
  if (error instanceof z.ZodError) return new StepFailure('invalid_input', z.prettifyError(error))
  if (error instanceof OutboundFailure) return unanswered(error)
  throw error
}
