import { isMutation, isStream } from '@kontor/contract'
import { DatabaseCrowded } from '../../db/errors.ts'
import type { Actor, Membership } from '../actor.ts'
import type { Call } from '../calls.ts'
import { deprecationHeaders } from '../deprecation.ts'
import { Failure } from '../errors.ts'
import { withoutDepth } from '../parse/items.ts'

import { arrive } from './arrive.ts'
import { checkedChunks } from './chunks.ts'
import { memberOf } from '../../lib/guards.ts'
import { betweenSteps } from '../../lib/portions.ts'
import { toFailure } from './database-failures.ts'
import { assertExact } from './exact.ts'
import { enterAgain, identify } from './identify.ts'
import { meteredReads } from './metered.ts'
import { fail, read, readPublic } from './read.ts'
import type { HeaderSink, Incoming, Outgoing, Runtime } from './runtime.ts'
import { checkCall } from './sent-back.ts'
import { streamContext } from './stream-context.ts'
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
  if (endpoint.deprecated !== undefined) {
    const called = { baseUrl: runtime.baseUrl, parameters: { ...incoming.scope } }
    Object.assign(headers, deprecationHeaders(endpoint.deprecated, called))
  }
  if (endpoint.caller === 'public') return readPublic(runtime, call, incoming)
  if (endpoint.caller === 'address') return arrive(runtime, call, incoming)
  const { actor, workspace } = await identify(runtime, call, incoming, headers)
  if (runtime.database.isCrowded(isMutation(endpoint) ? 'write' : 'read'))
    throw new DatabaseCrowded('No further call may wait')
  const sent = await incoming.readInput()
  // Reading the body, checking it and writing take their time each.
  await betweenSteps(memberOf(sent['body'], 'data'))
  const readNow = async (reader: Call, path: Readonly<Record<string, unknown>>) =>
    (await invoke(runtime, reader, { ...withoutConditions(incoming), actor, readInput: async () => path })).body
  const { input, refusedItems, sent: checked } = await checkCall(call, sent, readNow)
  await betweenSteps(memberOf(sent['body'], 'data'))
  const given = withoutDepth(checked, refusedItems)
  const base = baseContext(runtime, incoming, actor, given)
  const tx = meteredReads(runtime.database.reader, call.usage, workspace?.workspaceId)
  if (workspace === undefined) return read(runtime, call, { ...base, tx }, input)
  let entries = 1
  const enter = () => {
    entries++
    meanwhile = runtime.watchMemberships()
    return enterAgain(runtime, endpoint, actor, incoming)
  }
  // What is sent while it is read goes by the schemas of its beginning; and nobody reads for ever.
  const mayBeTorn = ({ body }: Outgoing) => body !== undefined && entries < entriesMax && meanwhile()
  const streaming = isStream(endpoint) && streamContext(runtime, call, incoming, { ...base, tx })
  const performIn = (membership: Membership) =>
    withFreshSchemas(runtime, membership, enter, async (entered) => {
      const inside = { ...base, workspace: entered, watermark: watermarkIn(runtime, entered) }
      if (isMutation(endpoint)) return write(runtime, call, { ...incoming, given, refusedItems }, inside, input)
      return trustingSchemas(runtime, tx, entered, mayBeTorn, () =>
        read(runtime, call, { ...inside, ...streaming, tx, schemas: pinSchemas(runtime, entered) }, input),
      )
    })
  const { workspaceId } = workspace
  // While a large change waited for its turn, the caller may have lost the role, and the schemas may have changed.
  return runtime.shares.run(workspaceId, () =>
    isMutation(endpoint) && isLarge(input)
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

const watermarkIn =
  ({ changeTimes }: Runtime, { workspaceId }: Membership) =>
  (object: string): Promise<number> =>
    changeTimes.watermark(workspaceId, object)
