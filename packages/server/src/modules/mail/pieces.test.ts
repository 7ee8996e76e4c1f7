import { buffer } from 'node:stream/consumers'
import { finished } from 'node:stream/promises'
import { expect, test } from 'vitest'
import { Pieces } from './pieces.ts'

test('what comes bit by bit goes on in one piece, and what is large in several, in order', async () => {
  const bits = ['Subject: Hello\r\n', '\r\n', 'Hello.\r\n'].map((text) => Buffer.from(text))
  const large = Buffer.alloc(70_000, 'x')
  const pieces = new Pieces()
  for (const bit of [...bits, large, ...bits]) pieces.write(bit)
  pieces.end()
  const passed: Buffer[] = []
  pieces.on('data', (piece: Buffer) => passed.push(piece))
  await finished(pieces)
  const head = Buffer.concat(bits)
  expect(passed).toEqual([Buffer.concat([head, large]), head])
})

test('nothing passes where nothing comes', async () => {
  const pieces = new Pieces()
  pieces.end()
  expect(await buffer(pieces)).toHaveLength(0)
})
