import type { ServerResponse } from 'node:http'

type Delivery = { readonly response: ServerResponse; readonly text: string }

/** An answer waits for at most so many others, or for so much text, to be made after it. */
const answersMax = 32
const charactersMax = 65_536

// A process has one event loop, whose turn this is of; every answer goes out on a connection of its own.
// oxlint-disable-next-line kontor/module-state
let waiting: Delivery[] = []
// oxlint-disable-next-line kontor/module-state
let characters = 0

/**
 * Sends the answers that are made in one turn of the event loop one after another at its end. If each were sent
 * as it is made, each would wake up its reader, often the same client or proxy: a third of the time of a get.
 */
export function deliver(response: ServerResponse, text: string): void {
  if (waiting.length === 0) setImmediate(deliverAll)
  waiting.push({ response, text })
  characters += text.length
  if (waiting.length >= answersMax || characters >= charactersMax) deliverAll()
}

function deliverAll(): void {
  const deliveries = waiting
  waiting = []
  characters = 0
  for (const { response, text } of deliveries) response.end(text, encodingOf(text))
}

/** ASCII is the same as Latin-1, in which a text is copied as it stands. */
const encodingOf = (text: string): 'latin1' | 'utf8' => (Buffer.byteLength(text) === text.length ? 'latin1' : 'utf8')
