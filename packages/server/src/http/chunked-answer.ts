import type { ServerResponse } from 'node:http'
import type { Writable } from 'node:stream'
import type { Chunks } from '../kernel/implement.ts'
import { encodingFor } from './accept-encoding.ts'
import { apiSecurityHeaders, jsonType } from './answer.ts'
import { compressorOf } from './compress.ts'

/** Longest that a client may take for what is written at once. Until it has, nothing is held for it but a chunk. */
const takenMaxMs = 60_000

/** Items that are written as one text: short ones are cleared away while they are young, long ones pile up. */
const itemsAtOnce = 50

/**
 * Sends a body whose `data`, or whose text, comes in chunks, each read when the one before it is taken. A failure in
 * between breaks the connection off: a client must not mistake half an answer for a whole one.
 */
export async function sendChunks(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  chunks: Chunks,
  media: string | undefined,
): Promise<void> {
  try {
    const encoding = encodingFor(response.req, Infinity)
    response.appendHeader('Vary', 'Accept-Encoding')
    response.writeHead(status, {
      ...apiSecurityHeaders,
      ...headers,
      ...(encoding !== undefined && { 'Content-Encoding': encoding }),
      'Content-Type': media === undefined ? jsonType : `${media}; charset=utf-8`,
    })
    // To HEAD nothing is sent, so nothing more is read for it.
    const isHead = response.req.method === 'HEAD'
    const texts = isHead ? [] : media === undefined ? written(chunks) : parts(chunks)
    const sink = encoding === undefined || isHead ? response : compressorOf(encoding, response)
    for await (const text of texts) {
      // A client that went away ends the reading too: leaving this loop ends the chunks.
      if (response.destroyed) return
      if (!sink.write(text) && !(await taken(sink, response))) return
    }
    sink.end()
  } catch (error) {
    response.destroy()
    throw error
  }
}

/** The same text as of the whole body at once, `data` being its first member. */
async function* written(chunks: Chunks): AsyncGenerator<string, void, undefined> {
  let before = '{"data":['
  try {
    for (let next = await chunks.next(); ; next = await chunks.next()) {
      if (next.done === true) return yield `${before === ',' ? '' : before}],${JSON.stringify(next.value).slice(1)}`
      for (let at = 0; at < next.value.length; at += itemsAtOnce) {
        yield before + JSON.stringify(next.value.slice(at, at + itemsAtOnce)).slice(1, -1)
        before = ','
      }
    }
  } finally {
    await chunks.return({})
  }
}

/** The parts of a text, as they come. */
async function* parts(chunks: Chunks): AsyncGenerator<string, void, undefined> {
  try {
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) yield next.value.join('')
  } finally {
    await chunks.return({})
  }
}

/** Waits until the client has taken what was written; false where it has gone, or takes too long and is cut off. */
export const taken = (sink: Writable, response: ServerResponse, withinMs = takenMaxMs): Promise<boolean> =>
  new Promise((resolve) => {
    const settle = (isTaken: boolean) => () => {
      clearTimeout(timer)
      sink.off('drain', onDrain)
      response.off('close', onClose)
      if (!isTaken) response.destroy()
      resolve(isTaken)
    }
    const onDrain = settle(true)
    const onClose = settle(false)
    const timer = setTimeout(onClose, withinMs)
    sink.once('drain', onDrain)
    response.once('close', onClose)
  })
