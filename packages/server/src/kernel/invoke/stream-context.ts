import type { Call } from '../calls.ts'
import type { ReadContext, StreamContext } from '../implement.ts'
import { enterAgain } from './identify.ts'
import type { Incoming, Runtime } from './runtime.ts'
import { pinSchemas, trustingSchemas, withFreshSchemas } from './schema-check.ts'
import { timed, type Timed } from './read.ts'

type Base = Omit<ReadContext, Timed | 'actor'>

/** Always false: later events of a stream are read again by newer schemas. */
const wholeAlways = () => false

/** Returns the context of a stream: that of a reading handler, with the members of streams. */
export const streamContext = (
  runtime: Runtime,
  { endpoint }: Call,
  incoming: Incoming,
  base: Base,
): Pick<StreamContext, 'lastEventId' | 'again'> => ({
  lastEventId: incoming.lastEventId,
  async again(work) {
    const actor = await runtime.authenticate(incoming.authorization)
    const enter = () => enterAgain(runtime, endpoint, actor, incoming)
    return withFreshSchemas(runtime, await enter(), enter, (workspace) =>
      trustingSchemas(runtime, base.tx, workspace, wholeAlways, () =>
        work({
          ...base,
          ...timed(runtime, runtime.clock.now()),
          actor,
          workspace,
          schemas: pinSchemas(runtime, workspace),
          watermark: (object) => runtime.changeTimes.watermark(workspace.workspaceId, object),
        }),
      ),
    )
  },
})
