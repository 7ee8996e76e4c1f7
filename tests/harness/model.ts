import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { atEnd } from './at-end.ts'
import type { Json } from './http.ts'

/** Answers the next request. */
export type ModelAnswer = (response: ServerResponse, request: Json) => void

type Said = {
  readonly text?: string
  readonly calls?: readonly { readonly name: string; readonly arguments: string }[]
  readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number } | null
  readonly finish?: string | null
}

const sliced = (text: string, characters: number): string[] => text.match(new RegExp(`.{1,${characters}}`, 'gs')) ?? []

/** The events of an answer, its text and its arguments in pieces. */
function eventsOf({ text = '', calls = [], usage, finish }: Said): string {
  const parts: Json[] = sliced(text, 3).map((content) => ({ choices: [{ index: 0, delta: { content } }] }))
  for (const [index, { name, arguments: given }] of calls.entries()) {
    const first = { index, id: `call_${index}`, type: 'function', function: { name, arguments: '' } }
    parts.push({ choices: [{ index: 0, delta: { tool_calls: [first] } }] })
    for (const piece of sliced(given, 7))
      parts.push({ choices: [{ index: 0, delta: { tool_calls: [{ index, function: { arguments: piece } }] } }] })
  }
  const reason = finish === undefined ? (calls.length > 0 ? 'tool_calls' : 'stop') : finish
  if (reason !== null) parts.push({ choices: [{ index: 0, delta: {}, finish_reason: reason }] })
  if (usage !== null) parts.push({ choices: [], usage: usage ?? { prompt_tokens: 100, completion_tokens: 10 } })
  return parts.map((part) => `data: ${JSON.stringify(part)}\n\n`).join('') + 'data: [DONE]\n\n'
}

/** Streams an answer in pieces that end wherever they end, in the middle of characters too. */
export const says =
  (said: Said): ModelAnswer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const bytes = Buffer.from(eventsOf(said))
    for (let at = 0; at < bytes.length; at += 11) response.write(bytes.subarray(at, at + 11))
    response.end()
  }

/** Has a tool called; what it is called with is JSON, unless it is a text. */
export const calls = (...asked: readonly (readonly [name: string, given: Json])[]): ModelAnswer =>
  says({
    calls: asked.map(([name, given]) => ({
      name,
      arguments: typeof given === 'string' ? given : JSON.stringify(given),
    })),
  })

/** Breaks the connection off in the middle of an answer. */
export const breaksOff: ModelAnswer = (response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write('data: {"choices":[{"index":0,"delta":{"content":"I wi')
  setImmediate(() => response.destroy())
}

export const refuses =
  (status: number, headers: Record<string, string> = {}): ModelAnswer =>
  (response) =>
    void response.writeHead(status, headers).end(JSON.stringify({ error: { message: 'not now' } }))

/** A server that speaks the chat completions of OpenAI, streaming, and answers as it is told. */
export async function modelServer() {
  const asked: { readonly body: Json; readonly authorization: string | undefined }[] = []
  const answers: ModelAnswer[] = []
  let otherwise: ModelAnswer = says({ text: 'Done.' })
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body: Json = JSON.parse(Buffer.concat(chunks).toString())
      asked.push({ body, authorization: request.headers.authorization })
      const answer = answers.shift() ?? otherwise
      answer(response, body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  atEnd(close)
  return {
    ai: { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, apiKey: 'secret', model: 'm-1' },
    asked,
    /** Answers the next requests so, one after another. */
    answer(...next: ModelAnswer[]) {
      asked.length = 0
      answers.splice(0, answers.length, ...next)
    },
    /** Answers all others so. */
    otherwise: (answer: ModelAnswer) => void (otherwise = answer),
  }
}
