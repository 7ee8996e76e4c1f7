import { statesTotal } from '@kontor/contract'
import { DatabaseCrowded } from '../../db/errors.ts'
import type { Actor, Membership } from '../actor.ts'
import type { Call } from '../calls.ts'
import { Failure } from '../errors.ts'
import type { PublicContext, ReadContext, WorkspaceReadContext } from '../implement.ts'
import { parseCall, withoutDepth } from '../parse/items.ts'
import { parseInput } from '../parse/parse.ts'
import { arrive } from './arrive.ts'
import { checkedChunks } from './chunks.ts'
import { invariant, memberOf } from '../../lib/guards.ts'
import { betweenSteps } from '../../lib/portions.ts'
import { toFailure } from './database-failures.ts'
import { assertExact } from './exact.ts'
import { enterAgain, identify } from './identify.ts'
import { meteredReads } from './metered.ts'
import { answer, fail, readsOf, streamContext, timed, watermarkIn, type Timed } from './contexts.ts'
import type { HeaderSink, Incoming, Outgoing, Runtime } from './runtime.ts'
import { checkCall } from './sent-back.ts'
import { pinSchemas, trustingSchemas, withFreshSchemas } from './schema-check.ts'
import { isLarge, write } from './write.ts'

/** A read beside changes of schemas is made so often; the last time counts as it is. */
const entriesMax = 4

/** The single path of every call: REST, tRPC, actions and the command line all end here. */
export async function invoke(
  runtime: Runtime,
  call: Call,
  incoming: Incoming,
  headers: HeaderSink = {},
): Promise<Outgoing> {
  const startedMs = performance.now()
  let status = 500
  try {
    const outgoing = await perform(runtime, call, incoming, headers)
    status = outgoing.status
    const check = runtime.checkAnswers ? (body: unknown) => assertExact(call, body) : undefined
    const checkWhole =
      check && ((body: { data: unknown[] }) => check(call.endpoint.media === undefined ? body : body.data.join('')))
    if (outgoing.stream !== undefined) return outgoing
    if (outgoing.chunks !== undefined)
      return { ...outgoing, chunks: checkedChunks(outgoing.chunks, toFailure, checkWhole) }
    check?.(outgoing.body)
    return outgoing
  } catch (error) {
    const failed = toFailure(error)
    status = failed instanceof Failure ? failed.status : 500
    throw failed
  } finally {
    call.usage.count(incoming.surface, status, performance.now() - startedMs)
  }
}

async function perform(runtime: Runtime, call: Call, incoming: Incoming, headers: HeaderSink): Promise<Outgoing> {
  const { endpoint } = call
  let meanwhile = runtime.watchMemberships()
  Object.assign(headers, call.deprecation?.({ baseUrl: runtime.baseUrl, parameters: { ...incoming.scope } }))
  if (call.kind === 'public') return readPublic(runtime, call, incoming)
  if (call.kind === 'address') return arrive(runtime, call, incoming)
  const isChange = call.kind === 'change'
  const { actor, workspace } = await identify(runtime, call, incoming, headers)
  if (runtime.database.isCrowded(isChange ? 'write' : 'read')) throw new DatabaseCrowded('No further call may wait')
  const sent = await incoming.readInput()
  // Reading the body, checking it and writing take their time each.
  await betweenSteps(memberOf(sent['body'], 'data'))
  const readNow = async (reader: Call, path: Readonly<Record<string, unknown>>) =>
    (await invoke(runtime, reader, { ...withoutConditions(incoming), actor, readInput: async () => path })).body
  const checked =
    call.reader === undefined ? { ...(await parseCall(endpoint, sent)), sent } : await checkCall(call, sent, readNow)
  const { input, refusedItems } = checked
  await betweenSteps(memberOf(sent['body'], 'data'))
  const given = withoutDepth(checked.sent, refusedItems)
  const base = baseContext(runtime, incoming, actor, given)
  const tx = meteredReads(runtime.database.reader, call.usage, workspace?.workspaceId)
  if (workspace === undefined) return read(runtime, call, { ...base, tx }, input)
  let entries = 1
  const enter = () => {
    entries++
    meanwhile = runtime.watchMemberships()
    return enterAgain(runtime, endpoint, actor, incoming)
  }
  // A response that is sent while it is read uses the schemas of its beginning, and its time is limited.
  const mayBeTorn = ({ body }: Outgoing) => body !== undefined && entries < entriesMax && meanwhile()
  const streaming = call.kind === 'stream' && streamContext(runtime, call, incoming, { ...base, tx })
  const performIn = (membership: Membership) =>
    withFreshSchemas(runtime, membership, enter, async (entered) => {
      const reads = readsOf(runtime, call, incoming, { actor, workspace: entered, tx })
      const inside = { ...base, workspace: entered, watermark: watermarkIn(runtime, entered.workspaceId, reads) }
      if (isChange) return write(runtime, call, { ...incoming, given, refusedItems }, inside, input)
      return trustingSchemas(runtime, tx, entered, mayBeTorn, () =>
        read(runtime, call, { ...inside, ...streaming, tx: reads.tx, schemas: pinSchemas(runtime, entered) }, input),
      )
    })
  const { workspaceId } = workspace
  // While a large change waited for its turn, the caller may have lost the role, and the schemas may have changed.
  return runtime.shares.run(workspaceId, () =>
    isChange && isLarge(input)
      ? runtime.largeWrites.run(workspaceId, async () => performIn(await enter()))
      : performIn(workspace),
  )
}

const baseContext = (
  { baseUrl }: Runtime,
  { requestId, takesChunks }: Incoming,
  actor: Actor,
  given: Readonly<Record<string, unknown>>,
) => ({ actor, requestId, baseUrl, given, fail, takesChunks: takesChunks === true })

/** The same request without what makes it a change. */
const withoutConditions = ({ alongside: _with, ...request }: Incoming): Incoming => ({
  ...request,
  ifMatch: undefined,
  idempotencyKey: undefined,
})

/**
 * Runs a public call, the same for every caller: it needs neither a credential nor the database, and costs so little
 * that it is not counted.
 */
async function readPublic(
  { baseUrl, clock }: Runtime,
  call: Call,
  { readInput, requestId }: Incoming,
): Promise<Outgoing> {
  const given = await readInput()
  const context: PublicContext = { requestId, now: clock.now(), fail, baseUrl, given }
  const answered = await call.handler(context, parseInput(call.endpoint, given))
  invariant('body' in answered, `${call.name} is public, and answers in chunks`)
  return answer(call, answered)
}

/** Runs a call that changes nothing. */
async function read(
  runtime: Runtime,
  call: Call,
  base: Omit<ReadContext, Timed> | Omit<WorkspaceReadContext, Timed>,
  input: Record<string, unknown>,
): Promise<Outgoing> {
  const now = timed(runtime, runtime.clock.now())
  const answered = await (statesTotal(call.endpoint)
    ? base.tx.inOneState((tx) => call.handler({ ...base, ...now, tx }, input))
    : call.handler({ ...base, ...now }, input))
  if ('stream' in answered) return { status: 200, headers: {}, stream: answered.stream }
  return 'chunks' in answered ? { status: 200, headers: {}, chunks: answered.chunks } : answer(call, answered)
}
