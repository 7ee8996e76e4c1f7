import { parsedJson, memberOf } from '../../lib/guards.ts'
import { isRetryableStatus, retryAfterMs } from '../../lib/outbound/failure.ts'
import { StepFailure } from '../plugins/index.ts'

/** Where a language model is asked: any endpoint that speaks the chat completions of OpenAI. */
export type AiSettings = {
  /** With its version, such as `https://api.openai.com/v1`. */
  readonly baseUrl: string
  readonly apiKey: string | undefined
  /** Of requests that name none. */
  readonly model: string | undefined
}

/** Models think for long; a longer silence than this is none. */
const silenceMs = 120_000

/** No answer that a step may keep is larger. */
const answerCharactersMax = 1 << 20

export type Asking = {
  readonly signal: AbortSignal
  readonly now: number
  /** Called when the endpoint begins to answer: from then on it counts tokens, whatever becomes of the answer. */
  readonly onAnswer?: () => void
}

/** Reads an answer, chunk by chunk. */
type Reader<T> = (chunks: AsyncIterable<string>) => Promise<T>

/** Sends a request and has its answer read; fails the step where there is none. */
export async function askModel<T>(
  settings: AiSettings,
  request: object,
  { signal, now, onAnswer }: Asking,
  read: Reader<T>,
): Promise<T> {
  const silence = new AbortController()
  const timer = setTimeout(() => silence.abort(), silenceMs)
  try {
    const answer = await post(settings, request, AbortSignal.any([signal, silence.signal]))
    const chunks = heard(answer, timer)
    if (answer.ok) {
      onAnswer?.()
      return await read(chunks)
    }
    throw refusal(answer, await textOf(chunks), now)
  } catch (error) {
    if (error instanceof StepFailure) throw error
    signal.throwIfAborted()
    const why = silence.signal.aborted ? `No response within ${silenceMs / 1000} s.` : reasonOf(error)
    throw new StepFailure('ai_unreachable', `The language model could not be reached. ${why}`, { isRetryable: true })
  } finally {
    clearTimeout(timer)
  }
}

const post = ({ baseUrl, apiKey }: AiSettings, request: object, signal: AbortSignal) =>
  fetch(`${baseUrl}/chat/completions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
    },
    body: JSON.stringify(request),
    // A redirect would take the key elsewhere.
    redirect: 'error',
    signal,
  })

/** The text of an answer as it comes, up to what a step may keep; each part of it breaks the silence. */
async function* heard({ body }: Response, timer: NodeJS.Timeout): AsyncGenerator<string, void, undefined> {
  let characters = 0
  for await (const chunk of (body ?? new ReadableStream<Uint8Array>()).pipeThrough(new TextDecoderStream())) {
    timer.refresh()
    yield chunk
    characters += chunk.length
    if (characters > answerCharactersMax) return
  }
}

/** A whole answer. */
export async function textOf(chunks: AsyncIterable<string>): Promise<string> {
  let text = ''
  for await (const chunk of chunks) text += chunk
  return text
}

function refusal({ status, headers }: Response, text: string, now: number): StepFailure {
  const said = memberOf(memberOf(parsedJson(text), 'error'), 'message')
  const message = typeof said === 'string' ? ` ${said.slice(0, 500)}` : ''
  return new StepFailure(`http_${status}`, `The endpoint of the language model responded with ${status}.${message}`, {
    isRetryable: isRetryableStatus(status),
    retryAfterMs: retryAfterMs(headers.get('retry-after') ?? undefined, now),
  })
}

/** The cause says more than "fetch failed". */
const reasonOf = (error: unknown): string => {
  const cause = memberOf(error, 'cause') ?? error
  return String(memberOf(cause, 'message') ?? cause)
}
