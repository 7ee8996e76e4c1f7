import { ConnectionFailed, KontorError } from './errors.ts'
import { parseJson, refusal } from './refusal.ts'
import { withoutQuery, type Sender } from './sender.ts'
import { SilenceGuard } from './silence-guard.ts'
import { serverSentEvents, type ServerSentEvent } from './server-sent-events.ts'

/** The API says something every 25 seconds: a connection that is silent for longer is dead, and nothing else tells. */
const silentMsMax = 45_000

/** The blocks of a stream until the server ends it. */
export async function* readStream(
  sender: Sender,
  url: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  const silence = new SilenceGuard(silentMsMax)
  try {
    const ended = AbortSignal.any([silence.signal, ...(signal === undefined ? [] : [signal])])
    const { response } = await sender.send(url, { method: 'GET', headers: {}, signal: ended }, async () => undefined)
    if (!response.ok || response.body === null)
      throw refusal(`GET ${withoutQuery(url)}`, response, parseJson(await response.text()))
    for await (const one of serverSentEvents(response.body)) {
      silence.extend()
      yield one
      silence.extend()
    }
  } catch (error) {
    throw error instanceof KontorError ? error : new ConnectionFailed(withoutQuery(url), error)
  } finally {
    silence.stop()
  }
}
