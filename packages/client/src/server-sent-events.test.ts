import { expect, test } from 'vitest'
import { serverSentEvents } from './server-sent-events.ts'

const stream =
  'retry: 2000\n\nid: 41\ndata: {"a":"é: b"}\n\n: still here\nid: 45\n\ndata: one\r\ndata:two\r\n\r\n' +
  'id: 46\ndata: never ende'

const told = [
  { id: undefined, data: undefined },
  { id: '41', data: '{"a":"é: b"}' },
  { id: '45', data: undefined },
  { id: undefined, data: 'one\ntwo' },
]

test.each([1, 2, 3, 7, 1000])('reads a stream that comes in pieces of %i bytes', async (size) => {
  const bytes = new TextEncoder().encode(stream)
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.slice(index * size, (index + 1) * size),
  )
  const seen = []
  for await (const one of serverSentEvents(ReadableStream.from(pieces))) seen.push(one)
  expect(seen).toEqual(told)
})
